#include "data/makers/date_forms.h"

namespace fovea {

namespace {

using Forms = const std::string_view[];

// {d} 3, {dd} 03, {nth} 3rd, {ordinal} third, {dd>12} a day that no month can be, {m} 5, {mm} 05, {month} September,
// {mon} Sep or Sept, {mon.} Sept., {yyyy} 1999, {yy} 99, {weekday} Tuesday, {wd} Tue or Tues.
constexpr Forms common_formats = {
    // numbers alone
    "{yyyy}-{mm}-{dd}",
    "{yyyy}-{m}-{d}",
    "{yyyy}/{mm}/{dd}",
    "{yyyy}/{m}/{d}",
    "{yyyy}.{mm}.{dd}",
    "{yyyy} {mm} {dd}",
    "{yyyy}{mm}{dd}",
    "{m}/{d}/{yyyy}",
    "{mm}/{dd}/{yyyy}",
    "{m}/{d}/{yy}",
    "{mm}/{dd}/{yy}",
    "{m}/{d}/'{yy}",
    "{m}-{d}-{yyyy}",
    "{mm}-{dd}-{yy}",
    "{dd>12}/{mm}/{yyyy}",
    "{dd>12}/{m}/{yy}",
    "{d}.{m}.{yyyy}",
    "{dd}.{mm}.{yyyy}",
    "{d}.{m}.{yy}",
    "{dd}.{mm}.{yy}",
    "{d}. {m}. {yyyy}",
    "{wd} {m}/{d}/{yyyy}",
    "{wd}, {mm}/{dd}/{yy}",
    "{weekday} {d}.{m}.{yyyy}",
    "{wd} {yyyy}-{mm}-{dd}",
    "{yyyy}-{mm}-{dd} ({wd})",
    // the day first
    "{d} {month} {yyyy}",
    "{dd} {month} {yyyy}",
    "{d} {month}, {yyyy}",
    "{d} {mon} {yyyy}",
    "{d} {mon.} {yyyy}",
    "{d} {mon} {yy}",
    "{d} {month} '{yy}",
    "{d}. {month} {yyyy}",
    "{dd}-{mon}-{yyyy}",
    "{d}-{mon}-{yy}",
    "{d}-{month}-{yyyy}",
    "{dd}/{mon}/{yyyy}",
    "{dd}{mon}{yyyy}",
    "{nth} {month}{|,} {yyyy}",
    "{nth} {mon}{|,} {yyyy}",
    "{nth} {mon.}{|,} {yyyy}",
    "{nth} {mon.} '{yy}",
    "{nth} of {month} {yyyy}",
    "{nth} of {month}, {yyyy}",
    "{nth} of {mon} {yyyy}",
    "the {nth} of {month}, {yyyy}",
    "the {nth} of {month} '{yy}",
    "on the {nth} of {month} {yyyy}",
    "{the|this} {nth} day of {month}, {yyyy}",
    "{ordinal} of {month} {yyyy}",
    "the {ordinal} of {month}, {yyyy}",
    "{wd} {d} {mon} {yyyy}",
    "{wd}, {dd} {mon} {yyyy}",
    "{wd}. {d} {mon.} {yyyy}",
    "{weekday} {d} {month}, {yyyy}",
    "{weekday}, {d} {month} {yyyy}",
    "{weekday} {nth} {month} {yyyy}",
    "{weekday}, the {nth} of {month}, {yyyy}",
    "{d} {month} {yyyy} ({weekday})",
    // the month first
    "{month} {d} {yyyy}",
    "{month} {d}, {yyyy}",
    "{month} {dd}, {yyyy}",
    "{month} {d}, '{yy}",
    "{mon} {d} {yyyy}",
    "{mon} {d}, {yyyy}",
    "{mon} {d} '{yy}",
    "{mon.} {d}{,|.} {yyyy}",
    "{mon.} {nth}{|,} {yyyy}",
    "{mon}-{dd}-{yyyy}",
    "{mon}-{dd}-{yy}",
    "{month} {nth}, {yyyy}",
    "{month} {nth} {yyyy}",
    "{month} the {nth}, {yyyy}",
    "{month} the {ordinal}, {yyyy}",
    "{month} {ordinal}{|,} {yyyy}",
    "{wd} {mon} {d} {yyyy}",
    "{wd}{,|.|.,} {mon.} {d}, {yyyy}",
    "{weekday}, {month} {d}, {yyyy}",
    "{weekday} {month} {d} {yyyy}",
    "{weekday}, {month} the {nth}, {yyyy}",
    // the year first
    "{yyyy} {month} {d}",
    "{yyyy} {mon} {dd}",
    "{yyyy}, {month} {d}",
    "{yyyy}-{mon}-{dd}",
    // a time of day in the middle
    "{yyyy}-{mm}-{dd}T{hh}:{min}:{sec}{|.{fraction}}{|Z|{offset}}",
    "{wd} {mon} {d} {hh}:{min}:{sec} {yyyy}",
};

// {year} nineteen seventy-six, {roman} XI or xi, {old month} Novr, {anno} what a year of our Lord has in front.
constexpr Forms rare_formats = {
    // numbers alone
    "{dd>12}-{mm}-{yyyy}",
    "{dd>12}-{mm}-{yy}",
    "{wd} {dd>12}/{mm}/{yy}",
    "{m}.{dd>12}.{yyyy}",
    "{yyyy}:{mm}:{dd} {hh}:{min}:{sec}",
    "{yyyy}{mm}{dd}{ |_|-}{hh}{min}{sec}",
    "{yyyy}{mm}{dd}T{hh}{min}{sec}{|Z|{offset}}",
    // of journals, orders and tickets
    "{dd}/{mon}/{yyyy}:{hh}:{min}:{sec}{|{offset}}",
    "{wd} {mon} {dd} {hh}:{min}:{sec}.{fraction} {yyyy}",
    "{wd} {mon} {dd} {hh}:{min}:{sec} {zone} {yyyy}",
    "{wd} {mon} {d} {hh}:{min}:{sec} {yyyy} {zone}",
    "{mon} {d} {hh}:{min}:{sec} {yyyy} {zone}",
    "{d} {mon} {yy} {hh}{min} {named zone}",
    "{dd}{mon}{yyyy} {hh}{min}",
    "{dd}{hh}{min}Z {mon} {yy}",
    "{dd}{mon}{yy}",
    // months by number; Roman ones take long to learn
    "{d}.{roman}.{yyyy}",
    "{dd}.{roman}.{yyyy}",
    "{d}. {roman}. {yyyy}",
    "{weekday} {d}.{roman}.{yyyy}",
    "{d}-{roman}-{yyyy}",
    "{d} {roman} {yyyy}",
    "{nth} of {mth} {mo.|month|mo} {yyyy}",
    // months shortened as they used to be
    "{d} {old month}{|.} {yyyy}",
    "{nth} {old month}{|.|,} {yyyy}",
    "{nth} of {old month} {yyyy}",
    "{old month}{|.} {d}{.|,| } {yyyy}",
    "{old month}{|.} {nth}{|,} {yyyy}",
    "{old month} {ye|the} {nth} {yyyy}",
    "{weekday} {nth} {old month}. {yyyy}",
    // the year further away, or in words
    "{d} {month} [{yyyy}]",
    "{month} {ye|the} {nth} {yyyy}",
    "{month} {d}. {yyyy}",
    "{the|this|on the} {nth} day of {month}{anno}{yyyy}",
    "{the|this|on the} {ordinal} day of {month}{anno}{yyyy}",
    "{the|this|on the} {ordinal} day of {month}{anno}{year}",
    "{the|this|on the} {ordinal} day of {month}{,|} {year}",
    "{the|this|on the} {nth} day of {month}{anno}{year}",
    "the {ordinal} of {month}{,|} {year}",
    "the {nth} of {month}{anno}{yyyy}",
    "{month} {nth}{anno}{yyyy}",
    "{month} {ordinal}, {year}",
};

constexpr Forms anno = {", in the year of our Lord ",
                        " in the year of our Lord{|,} ",
                        " in the year ",
                        ", anno ",
                        " A.D. ",
                        ", A. D. ",
                        " Anno Domini "};

// {h} 7, {hh} 07, {h12} 7 of 19, {min} 05, {sec} 09, {fraction} 123, {am} in some of its forms, {offset} +02:00.
constexpr Forms clocks = {
    "{h12}:{min} {am}",
    "{h12}:{min}{am}",
    "{h12}{| }{am}",
    "{h}:{min}",
    "{hh}:{min}{| }{zone}",
    "{hh}:{min}:{sec}",
    "{hh}:{min}:{sec}{| }{zone}",
    "{hh}:{min}:{sec}{|.{fraction}}{offset}",
    "{h12}:{min}{|:{sec}} {am} {zone}",
    "{hh}:{min}:{sec}.{fraction}{| {zone}}",
    "{h12}.{min}{| }{am}",
    "{hh}.{min} {zone}",
    "{h12}{|.{min}} o'clock{| {am}}",
    "{about|towards} {hour} {o'clock|in the {morning|evening|afternoon}|minutes to {noon|midnight}}",
    "{|12 }{noon|midnight}",
};

constexpr Forms zones = {"{named zone}", "{named zone}", "{offset}", "{offset}", "Z"};

constexpr Forms named_zones = {"{UTC|GMT}",
                               "{E|C|M|P}{S|D|}T",
                               "{C|E}E{S|}T",
                               "{B|I|J}ST",
                               "({UTC|BST|GMT|EST|PDT})",
                               "{UTC|GMT}{+|-}{|0}{1|2|3|5|8}",
                               "{Eastern|Pacific|local|Moscow} {|War |Standard }Time"};

constexpr Forms with_clock = {"{clock} {text}",          "{clock}, {text}",
                              "{clock} on {text}",       "{clock} - {text}",
                              "{text} {clock}",          "{text} {clock}",
                              "{text}, {clock}",         "{text}, {clock}",
                              "{text} - {clock}",        "{text}{|,} {at|@} {clock}",
                              "{text}, {thing} {clock}", "{deed} {|at }{clock} on {text}"};

// What stands around a {text} that has a date, and says nothing about it. {n} is a number of up to three digits.
constexpr Forms around = {
    // marks
    "({text})",
    "[{text}]",
    "{\"{text}\"|'{text}'|<{text}>|* {text} *}",
    "{|~|_}{text}{=|_|\\|/|&|%|+|?|!}",
    "{text}{.|,|;|:}",
    "{-|--|—|·|>|»|=|@} {text}",
    "{text} {-|--|—|·|>|«|&}",
    // words
    "{deed} {text}",
    "{deed} on {text}",
    "{deed}{:|=|: } {text}",
    "{\"{deed}\": \"{text}\"|{deed};{name}={name}/{name}_{name}:{text}}",
    "{deed} {on|at|by|by} {name}, {text}",
    "{deed}{|,} {phrase}, {text}",
    "{name} {deed} {text}",
    "{name} {phrase}, {text}",
    "{about} {text}",
    "{about} {text}",
    "{phrase}, {text}",
    "{text}{|,} {phrase}",
    "{text}, {deed} by {name}",
    "{text} ({aside})",
    "{text} {[{aside}]|{aside}|- {aside}}",
    "{text}. {aside} {phrase} {name}",
    // places and names
    "{name}, {text}",
    "{name}, {text}",
    "{name} {text}",
    "{name}, {state}, {text}",
    "{name}, {state} -- {text} --",
    "{text}, {name}{|, {state}}",
    "{text} in {name}",
    "{initial} {name}, {text}",
    "{deed} {initial} {name}, {text}",
    "{The |}{name} {paper}, {text}",
    "{The |}{paper}. {name}. {text}.",
    "{weekday} {Morning|Evening|Night|Times}, {text}",
    "On {text}, {name} {name} <{name}@{name}.{com|org|net}> wrote:",
    "{name}.{c|h|txt},v {n}.{n} {text} {name} Exp",
    // numbers
    "{counted}{|,|:|.} {text}",
    "{name}, {counted}, {text}",
    "{paper}, Vol. {n}, No. {n}. {text}",
    "{text}, {counted}",
    "{text} ({counted})",
    "{text} {-|·|;} {counted}",
    "{text} {[{n}]|[{aside}] {n}#{n}}",
    "{[{n}]|({n})} {text}",
};

constexpr Forms counted_things = {
    "No. {n}",       "no. {n},{n}",        "Vol. {n}",       "p. {n}",       "pp. {n}-{n}",     "pg. {n}",
    "page {n}",      "page {n} of {n}",    "Posts: {n}",     "aged {n}",     "age {n}{| yrs.}", "#{n}",
    "Lot {n}",       "{reply|Reply} #{n}", "Room {n}",       "Flight {n}",   "v{| }{n}.{n}",    "${n}.{n}",
    "at {A|B|C}{n}", "{n} cents",          "{n} pages",      "{n} comments", "{n} votes",       "{n} min read",
    "{n} miles",     "{n} years",          "{n}th Regiment", "{n}th edition"};

constexpr Forms deeds = {
    "Date",    "Dated",    "Posted",   "Published", "Updated", "Revised",      "Born",      "Died",       "Married",
    "Signed",  "Written",  "Received", "Printed",   "Filed",   "Taken",        "Sent",      "Opened",     "Expires",
    "Created", "Modified", "Accessed", "Retrieved", "Decided", "Last changed", "Collected", "Registered", "Issued",
    "Entered", "Valid",    "baptised", "buried",    "started", "arrived",      "departed",  "written",    "seen",
    "read",    "signed",   "died",     "meeting",   "session", "deadline",     "departure", "payment",    "order"};

constexpr Forms about_when = {"due",
                              "since",
                              "until",
                              "as of",
                              "on",
                              "c.",
                              "b.",
                              "d.",
                              "circa",
                              "ABT",
                              "BEF",
                              "before",
                              "after",
                              "from",
                              "by",
                              "no later than",
                              "at dawn on",
                              "on or before",
                              "on the morning of",
                              "the night of",
                              "my letter of",
                              "your"};

constexpr Forms asides = {"revised", "AD",       "N.S.",   "approx.",  "sic",    "error",   "info",
                          "edited",  "archived", "online", "all lost", "cloudy", "all day", "copy"};

constexpr Forms phrases = {"{at|in|by|from|of|with|after|to|near} {|the |a |his |our }{thing}",
                           "{at|in} the {thing} of {name}", "{thing} {and|of|for} {thing}", "{at|in|from|near} {name}"};

constexpr Forms things = {"church", "river",  "house",         "army",   "king",    "school",  "office",
                          "author", "clerk",  "harbour",       "letter", "meeting", "editor",  "fever",
                          "battle", "court",  "train",         "ship",   "parish",  "garden",  "committee",
                          "storm",  "record", "museum",        "camp",   "people",  "weather", "government",
                          "press",  "market", "unknown cause", "admin",  "road",    "evidence"};

constexpr Forms papers = {"Times",     "Herald", "Gazette", "Post",     "Daily News", "Journal",
                          "Chronicle", "Star",   "Tribune", "Observer", "Mercury",    "Telegraph"};

constexpr Forms states = {"N. Y.", "N.Y.", "Va.", "Pa.",     "Mass.",  "Calif.",  "Ohio",   "Conn.",
                          "CA",    "TX",   "NJ",  "England", "France", "Ireland", "Germany"};

constexpr Forms initials = {"{A|B|E|F|G|H}.", "{J|K|N|P|R|S|T|W}.", "{J|K|N|P|R|S|T|W}. {A|B|E|F|G|H}."};

// Of places and people. Some begin like a month or a day of the week and are none.
constexpr Forms names = {
    "{Al|Bar|Cam|Den|El|Far|Gren|Har|Ing|Kel|Lan|Mont|Nor|Old|Pem|Quin|Ros|San|Tor|Ul|Vic|Wes|York|Zel}{|a|be|der|i|"
    "ing|mo|ne|o|ti|ver}"
    "{bridge|burg|by|dale|field|ford|ham|land|ley|mouth|ness|polis|ton|ville|wick|worth|son|ster|ra|na|co|ia|elle|ez|"
    "ski|hill}",
    "{Mar|Dec|Jan|Jun|Sep|Oct|Nov|Aug|Apr|Feb|Mon|Tu|Sun|Sat|Fri|Thu|Wed}{a|be|i|ing|o|ti|ver|el}{by|dale|ford|ham|"
    "land|ton|ville|son|na|co|ia|elle|rin|ls}",
    "{St|St.|New|Port|Mount|Fort|Lake} "
    "{Al|Bar|Cam|Den|El|Far|Har|Kel|Lan|Ros|San|Vic|Wes}{a|i|o|e|an}{na|co|ton|ley|ra|s|n|burg}"};

struct NamedForms {
  std::string_view name;
  std::span<const std::string_view> forms;
};

constexpr NamedForms lists[] = {{"common format", common_formats},
                                {"rare format", rare_formats},
                                {"anno", anno},
                                {"clock", clocks},
                                {"zone", zones},
                                {"named zone", named_zones},
                                {"with clock", with_clock},
                                {"around", around},
                                {"counted", counted_things},
                                {"deed", deeds},
                                {"about", about_when},
                                {"aside", asides},
                                {"phrase", phrases},
                                {"thing", things},
                                {"paper", papers},
                                {"state", states},
                                {"initial", initials},
                                {"name", names}};

}  // namespace

std::span<const std::string_view> date_forms(std::string_view name) {
  for (const NamedForms& list : lists) {
    if (list.name == name) return list.forms;
  }
  return {};
}

}  // namespace fovea
