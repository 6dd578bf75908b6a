# Writes the packed page into a source file, so that the binary carries it, with the hashes by which a Content-Security-Policy
# lets its own scripts and styles through: cmake -DPAGE=index.html.gz -DOUT=page_bytes.cc -P page.cmake
set(digits ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/)

# What a hash of 64 hexadecimal digits is in base 64: three bytes are four digits, and the last two bytes three.
function(to_base64 hex out)
  set(text "")
  string(APPEND hex 00)
  foreach(group RANGE 10)
    math(EXPR place "${group} * 6")
    string(SUBSTRING ${hex} ${place} 6 bytes)
    foreach(shift 18 12 6 0)
      math(EXPR digit "(0x${bytes} >> ${shift}) & 63")
      string(SUBSTRING ${digits} ${digit} 1 digit)
      string(APPEND text ${digit})
    endforeach()
  endforeach()
  string(SUBSTRING ${text} 0 43 text)
  set(${out} "${text}=" PARENT_SCOPE)
endfunction()

# Of what stands between <NAME ...> and </NAME>, as often as it does.
function(hashes_of name html out)
  set(hashes "")
  string(FIND "${html}" "<${name}" start)
  while(start GREATER -1)
    string(SUBSTRING "${html}" ${start} -1 html)
    string(FIND "${html}" ">" open)
    math(EXPR open "${open} + 1")
    string(FIND "${html}" "</${name}>" close)
    if(close EQUAL -1)  # a word in a script
      break()
    endif()
    math(EXPR length "${close} - ${open}")
    string(SUBSTRING "${html}" ${open} ${length} inside)
    string(SHA256 hash "${inside}")
    to_base64(${hash} hash)
    string(APPEND hashes " 'sha256-${hash}'")
    string(SUBSTRING "${html}" ${close} -1 html)
    string(FIND "${html}" "<${name}" start)
  endwhile()
  set(${out} "${hashes}" PARENT_SCOPE)
endfunction()

execute_process(COMMAND gzip -dc ${PAGE} OUTPUT_FILE ${OUT}.html COMMAND_ERROR_IS_FATAL ANY)
file(READ ${OUT}.html html)
hashes_of(script "${html}" scripts)
hashes_of(style "${html}" styles)
file(SHA256 ${PAGE} hash)
file(READ ${PAGE} bytes HEX)
string(REGEX REPLACE "(..)" "0x\\1," bytes "${bytes}")
string(REGEX REPLACE "(................................................................................)" "\\1\n" bytes "${bytes}")
file(WRITE ${OUT} "#include \"server/page.h\"

namespace fovea {

namespace {

constexpr unsigned char bytes[] = {
${bytes}};

}  // namespace

EmbeddedPage embedded_page() {
  return {{reinterpret_cast<const char*>(bytes), sizeof bytes}, \"${hash}\", \"${scripts}\", \"${styles}\"};
}

}  // namespace fovea
")
