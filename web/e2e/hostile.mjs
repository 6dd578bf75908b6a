// Sixty texts that pages have come to grief over: markup, scripts, addresses, direction, marks, emoji, control characters, length.
export const hostile = [
  "<script>window.hacked=1</script>", "</script><script>window.hacked=1</script>", "<img src=x onerror=window.hacked=1>", "<svg onload=window.hacked=1>",
  "<b>bold</b>", "<iframe src=javascript:window.hacked=1>", "javascript:window.hacked=1", "\"><script>window.hacked=1</script>", "'><img src=//example.org/x>",
  "<a href=//example.org>x</a>", "<style>*{display:none}</style>", "</style><b>", "</textarea><b>x", "<!--", "-->", "<![CDATA[x]]>", "<!doctype html>", "&lt;b&gt;", "&amp;&#0;&nbsp;",
  "{@html '<b>x</b>'}", "{window.hacked=1}", "${window.hacked=1}", "{{constructor.constructor('window.hacked=1')()}}", "`window.hacked=1`", "\\u003cscript\\u003e", "\\x3cb\\x3e",
  "__proto__", "constructor", "toString", "hasOwnProperty", "NaN", "null", "undefined", "[object Object]", "</s>", "<s>", "<pad>", "<unk>", "#text=x&view=map", "%3Cscript%3E", "../../etc/passwd", "' OR 1=1 --",
  "שלום עולם", "مرحبا بالعالم", "\u202Eevil\u202C", "\u2066a\u2069\u200F", "a\u0301\u0302\u0303\u0304", "\u0301", "Z͑ͫ̓ͪ̂ͫ̽͏̴̙̤̞͉͚̯̞̠͍A̴̵̜̰͔ͫ͗͢", "👩‍👩‍👧‍👦🏳️‍🌈", "😀\ufe0f", "日本語", "한국어", "नमस्ते",
  "\u0000", "a\u0000b\u0007\u001b[31m", "\u200b\u200c\u200d\ufeff", "\ufffe\uffff", "\ud800", "x".repeat(300), "𝒳".repeat(100),
];
