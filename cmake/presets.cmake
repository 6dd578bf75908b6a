# Writes the presets into a source file, so that the binary carries them: cmake -DFOLDER=presets -DOUT=presets.cc -P presets.cmake
file(GLOB files ${FOLDER}/*.toml)
set(entries "")
foreach(file ${files})
  get_filename_component(name ${file} NAME_WE)
  file(READ ${file} text)
  string(APPEND entries "    {\"${name}\", R\"toml(${text})toml\"},\n")
endforeach()
file(WRITE ${OUT} "#include \"runs/presets.h\"\n\nnamespace fovea {\n\nstd::span<const Preset> presets() {\n  static constexpr Preset all[] = {\n${entries}  };\n  return all;\n}\n\n}  // namespace fovea\n")
