#include "show/page.h"

#include <fmt/core.h>

#include "show/markup.h"

namespace fovea {
namespace {

// Of scripts only ours runs, known by this word; whatever else might look like one does not.
constexpr const char* content_policy =
    "default-src 'none'; style-src 'unsafe-inline'; img-src data:; base-uri 'none'; form-action 'none'";
constexpr const char* script_policy = "; script-src 'nonce-fovea'";

constexpr const char* style_sheet = R"(
:root { color-scheme: light dark; --ink: #1f2430; --soft: #5d6675; --line: #dfe3ea; --paper: #fbfbfd; --card: #ffffff;
  --accent: #21768c; --good: #1a7f4b; --bad: #b3362b; }
@media (prefers-color-scheme: dark) {
  :root { --ink: #e6e9ef; --soft: #9aa4b5; --line: #2d3440; --paper: #12151b; --card: #1a1f27; --accent: #5ec9b0;
    --good: #5fd08f; --bad: #ff8a7a; }
}
* { box-sizing: border-box; }
body { margin: 0; padding: 2rem clamp(1rem, 4vw, 3rem) 4rem; background: var(--paper); color: var(--ink);
  font: 16px/1.5 system-ui, 'Noto Sans', sans-serif; }
main { max-width: 76rem; margin: 0 auto; }
h1 { font-size: 1.5rem; font-weight: 650; margin: 0 0 .5rem; overflow-wrap: anywhere; }
h2 { font-size: 1.05rem; font-weight: 650; margin: 2rem 0 .6rem; }
.answer { display: grid; grid-template-columns: max-content 1fr; gap: .2rem 1rem; font-size: 1.2rem;
  margin: 1.2rem 0 .8rem; }
.answer dt { color: var(--soft); font-size: .9rem; align-self: center; }
.answer dd { margin: 0; overflow-wrap: anywhere; }
.answer .result { font-weight: 650; color: var(--accent); }
.card { background: var(--card); border: 1px solid var(--line); border-radius: 12px; padding: .8rem; margin: 0 0 1rem;
  overflow-x: auto; }
.cards { display: grid; grid-template-columns: repeat(auto-fit, minmax(min(28rem, 100%), 1fr)); gap: 1rem;
  margin: 0 0 1rem; }
.cards .card { margin: 0; }
svg { display: block; }
.cards svg { max-width: 100%; height: auto; }
.charts { grid-template-columns: repeat(auto-fit, minmax(min(24rem, 100%), 1fr)); }
.charts svg { width: 100%; }
.hover path, .hover text { visibility: hidden; pointer-events: none; }
.hover:hover path, .hover:hover text { visibility: visible; }
.cell:hover rect { stroke: #ff5a36; stroke-width: 2; }
.standing { border-left: 4px solid var(--accent); padding: .2rem 0 .2rem .8rem; color: var(--soft); margin: 1.2rem 0; }
.warning { border-left: 4px solid #d98b12; padding: .2rem 0 .2rem .8rem; margin: .6rem 0; }
table { border-collapse: collapse; font-size: .92rem; font-variant-numeric: tabular-nums; }
th, td { text-align: start; padding: .3rem .7rem; border-bottom: 1px solid var(--line); vertical-align: top; }
th { color: var(--soft); font-weight: 600; }
td.text { font-family: ui-monospace, Menlo, Consolas, 'DejaVu Sans Mono', monospace; overflow-wrap: break-word; }
td.number { text-align: right; }
table.weights { font-size: .78rem; }
table.weights th, table.weights td { padding: .1rem .35rem; text-align: right; }
details { margin: .4rem 0; }
summary { cursor: pointer; color: var(--accent); }
code { font-family: ui-monospace, Menlo, Consolas, 'DejaVu Sans Mono', monospace; font-size: .9em;
  overflow-wrap: anywhere; }
@media (max-width: 40rem) {
  body { padding: 1rem .5rem 2rem; }
  .card { padding: .4rem; }
  th, td { padding: .25rem .4rem; }
}
.good { color: var(--good); } .bad { color: var(--bad); }
)";

}  // namespace

std::string page(std::string_view title, std::string_view body, std::string_view script) {
  return fmt::format(
      R"(<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8"/>
<meta http-equiv="Content-Security-Policy" content="{}{}"/>
<meta name="referrer" content="no-referrer"/>
<meta name="viewport" content="width=device-width, initial-scale=1"/>
<title>{}</title>
<style>{}</style>
</head>
<body>
<main>
{}</main>
{}</body>
</html>
)",
      content_policy, script.empty() ? "" : script_policy, escape_text(title), style_sheet, body,
      script.empty() ? "" : fmt::format("<script nonce=\"fovea\">//<![CDATA[{}//]]></script>\n", script));
}

std::string bdi(std::string_view text) { return fmt::format("<bdi>{}</bdi>", escape_text(text)); }

}  // namespace fovea
