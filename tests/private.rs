//! What is marked as private, in all spellings that somebody may type or a program may write.

use lh::redact::without_private;

/// Marks that open and close.
#[rustfmt::skip]
const MARKS: &[(&str, &str)] = &[
    // Letters and blanks.
    ("<private>", "</private>"), ("<PRIVATE>", "</PRIVATE>"), ("<Private>", "</Private>"), ("<pRiVaTe>", "</PrIvAtE>"),
    ("< private>", "</private>"), ("<private >", "</private >"), ("< private >", "</ private >"), ("<  private  >", "<  /  private  >"),
    ("<\tprivate\t>", "<\t/private>"), ("<private\n>", "</private\n>"), ("<\nprivate>", "<\n/private>"), ("<private>", "< /private>"),
    ("<private>", "</ private>"), ("<private>", "</private  >"), ("<PRIVATE >", "</ Private>"), ("<private\r\n>", "</private>"),
    ("<\u{a0}private\u{a0}>", "</private>"), ("<\u{2003}private>", "</\u{2003}private>"), ("<private\u{3000}>", "</private>"),
    // Attributes.
    ("<private reason=\"x\">", "</private>"), ("<private reason='x'>", "</private>"), ("<private reason=x>", "</private>"),
    ("<private reason>", "</private>"), ("<private a=\"1\" b=\"2\">", "</private>"), ("<private\n  reason=\"x\"\n>", "</private>"),
    ("<PRIVATE REASON=\"X\">", "</PRIVATE>"), ("<private reason=\"a > b\">", "</private>"), ("<private reason='a > b'>", "</private>"),
    ("<private: notes>", "</private>"), ("<private=true>", "</private>"), ("<private - notes>", "</private>"),
    ("<private reason=\"don't\">", "</private>"), ("<private reason=don't>", "</private>"), ("<private class=\"a/b\">", "</private>"),
    ("<private xml:lang=\"en\">", "</private>"), ("<private data-x='{\"a\":1}'>", "</private>"), ("<private>", "</private reason=\"x\">"),
    ("<private reason=\"ñandú\">", "</private>"), ("<private id=1 level=high>", "</private>"),
    // Entities.
    ("&lt;private&gt;", "&lt;/private&gt;"), ("&LT;private&GT;", "&LT;/private&GT;"), ("&#60;private&#62;", "&#60;/private&#62;"),
    ("&#x3c;private&#x3e;", "&#x3c;/private&#x3e;"), ("&#x3C;private&#x3E;", "&#x3C;/private&#x3E;"), ("&#060;private&#062;", "&#060;/private&#062;"),
    ("&#x003c;private&#x003e;", "&#x003c;/private&#x003e;"), ("&amp;lt;private&amp;gt;", "&amp;lt;/private&amp;gt;"),
    ("&amp;amp;lt;private&amp;amp;gt;", "&amp;amp;lt;/private&amp;amp;gt;"), ("&lt;private>", "&lt;/private>"), ("<private&gt;", "</private&gt;"),
    ("&lt; private &gt;", "&lt; / private &gt;"), ("&lt;PRIVATE&gt;", "&lt;/PRIVATE&gt;"), ("&lt;private reason=&quot;x&quot;&gt;", "&lt;/private&gt;"),
    ("&lt;private&gt;", "&lt;&sol;private&gt;"), ("&lt;private&gt;", "&lt;&#47;private&gt;"), ("&lt;private&gt;", "&lt;&#x2f;private&gt;"),
    ("&lt;private&nbsp;&gt;", "&lt;/private&gt;"), ("&ltprivate&gt", "&lt/private&gt"), ("&lt;private&gt;", "</private>"), ("<private>", "&lt;/private&gt;"),
    // Escapes.
    ("\\u003cprivate\\u003e", "\\u003c/private\\u003e"), ("\\u003Cprivate\\u003E", "\\u003C/private\\u003E"),
    ("\\\\u003cprivate\\\\u003e", "\\\\u003c/private\\\\u003e"), ("\\u003cprivate\\u003e", "\\u003c\\/private\\u003e"),
    ("\\x3cprivate\\x3e", "\\x3c/private\\x3e"), ("\\x3Cprivate\\x3E", "\\x3C\\x2Fprivate\\x3E"), ("\\u{3c}private\\u{3e}", "\\u{3c}/private\\u{3e}"),
    ("\\074private\\076", "\\074/private\\076"), ("%3Cprivate%3E", "%3C/private%3E"), ("%3cprivate%3e", "%3c%2fprivate%3e"),
    ("\\<private\\>", "\\</private\\>"), ("\\<private>", "\\</private>"), ("<private\\>", "</private\\>"), ("<private>", "<\\/private>"),
    ("\\\\<private\\\\>", "\\\\</private\\\\>"), ("\\<PRIVATE\\>", "\\<\\/PRIVATE\\>"), ("\\u003cprivate reason=\\\"x\\\"\\u003e", "\\u003c/private\\u003e"),
    ("<private reason=\\\"x\\\">", "</private>"), ("<private\\n>", "</private\\n>"), ("\\u003c\\u0070rivate\\u003e", "\\u003c/private\\u003e"),
    // Other brackets and letters of another width.
    ("＜private＞", "＜/private＞"), ("＜ｐｒｉｖａｔｅ＞", "＜／ｐｒｉｖａｔｅ＞"), ("＜PRIVATE＞", "＜/PRIVATE＞"), ("＜ＰＲＩＶＡＴＥ＞", "＜／ＰＲＩＶＡＴＥ＞"),
    ("﹤private﹥", "﹤/private﹥"), ("‹private›", "‹/private›"), ("〈private〉", "〈/private〉"), ("《private》", "《/private》"),
    ("⟨private⟩", "⟨/private⟩"), ("❮private❯", "❮/private❯"), ("❰private❱", "❰/private❱"), ("<ｐrivate>", "</ｐrivate>"),
    ("<𝐩𝐫𝐢𝐯𝐚𝐭𝐞>", "</𝐩𝐫𝐢𝐯𝐚𝐭𝐞>"), ("<𝑝𝑟𝑖𝑣𝑎𝑡𝑒>", "</𝑝𝑟𝑖𝑣𝑎𝑡𝑒>"), ("<𝚙𝚛𝚒𝚟𝚊𝚝𝚎>", "</𝚙𝚛𝚒𝚟𝚊𝚝𝚎>"), ("<private＞", "＜/private>"), ("＜private>", "</private＞"),
    ("<private>", "<／private>"), ("<private>", "<∕private>"), ("<private>", "<⁄private>"), ("＜ private ＞", "＜ ／ private ＞"),
    ("[private]", "[/private]"), ("[PRIVATE]", "[/PRIVATE]"), ("[private]", "[/private ]"), ("\\[private\\]", "\\[/private\\]"),
    // What nobody sees.
    ("<\u{200b}private>", "</private>"), ("<pri\u{200b}vate>", "</pri\u{200b}vate>"), ("<private\u{200b}>", "</private\u{200b}>"),
    ("<p\u{200c}r\u{200c}ivate>", "</private>"), ("<priv\u{200d}ate>", "</private>"), ("<\u{feff}private>", "<\u{feff}/private>"),
    ("<pri\u{ad}vate>", "</pri\u{ad}vate>"), ("<pri\u{2060}vate>", "</private>"), ("<\u{200e}private\u{200f}>", "<\u{200e}/private>"),
    ("<\u{202a}private\u{202c}>", "</private>"), ("<private\u{fe0f}>", "</private>"), ("<pri\u{034f}vate>", "</private>"), ("<\u{2066}private\u{2069}>", "</private>"),
    ("<pri\\u200bvate>", "</private>"), ("&lt;pri\u{200b}vate&gt;", "&lt;/private&gt;"), ("<pri&#8203;vate>", "</pri&#8203;vate>"), ("<pri&#x200b;vate>", "</private>"),
    ("<\u{180e}private>", "</private>"), ("<pri\u{2063}vate>", "</private>"), ("<\u{61c}private>", "</private>"),
    // Markdown.
    ("`<private>`", "`</private>`"), ("**<private>**", "**</private>**"), ("<**private**>", "</**private**>"), ("<_private_>", "</_private_>"),
    ("> <private>", "> </private>"), ("- <private>", "- </private>"), ("```\n<private>", "</private>\n```"), ("# <private>", "</private>"),
    ("<`private`>", "</`private`>"), ("<!-- <private>", "</private> -->"), ("(<private>)", "(</private>)"), ("\"<private>\"", "\"</private>\""),
    ("<~private~>", "</~private~>"), ("<*private*>", "</*private*>"),
    // Slips.
    ("<private/>", "</private>"), ("<private />", "</private>"), ("<private", "</private>"), ("<private\n", "</private"), ("<private>", "</private"),
    ("<private>", "<\\private>"), ("<private>", "</private/>"), ("<private>", "<//private>"), ("word<private>", "</private>word"),
    ("word <private>", "</private>. More"), ("<private>", "</private>.</private>"),
];

#[test]
fn every_spelling_is_left_out() {
    assert!(MARKS.len() >= 140, "{}", MARKS.len());
    let kept: Vec<String> = MARKS
        .iter()
        .filter_map(|(open, close)| {
            let left = without_private(&format!("before {open} hidden {close} after")).into_owned();
            (left.contains("hidden") || !left.contains("before") || !left.contains("after"))
                .then(|| format!("{open} … {close} -> {left}"))
        })
        .collect();
    assert!(kept.is_empty(), "{} of {}: {kept:#?}", kept.len(), MARKS.len());
}

#[test]
fn an_open_mark_reaches_to_the_end() {
    let slips = ["<private/>", "<private />", "<private", "<private\n", "[private]", "[PRIVATE]", "\\[private\\]"];
    for (open, _) in MARKS.iter().filter(|(open, _)| !slips.contains(open)) {
        let left = without_private(&format!("before {open} hidden, and hidden")).into_owned();
        assert!(!left.contains("hidden") && left.starts_with("before "), "{open}: {left}");
    }
}

#[test]
fn the_outer_mark_ends_where_its_own_close_is() {
    for (text, left) in [
        ("a <private>b <private>c</private> d</private> e", "a  e"),
        ("a <private>b <PRIVATE x=1>c</private> d< /private > e", "a  e"),
        ("a <private>b</private> c <private>d</private> e", "a  c  e"),
        ("a <private>b <private>c</private> d", "a "),
        ("a <private>b <private/> c</private> d", "a  d"),
        ("a</private> b", "a</private> b"),
        ("a</private> b <private>c</private></private> d", "a</private> b </private> d"),
    ] {
        assert_eq!(without_private(text), left, "{text}");
    }
}

#[test]
fn what_is_no_mark_stays() {
    for text in [
        "plain",
        "a < b and c > d",
        "a private word",
        "private: yes",
        "<privateer>",
        "<private_key>",
        "<private-data>",
        "<privates>",
        "x < private && y > 2",
        "Box<Private> is a type",
        "fn get(self: &Node<Private>) -> usize",
        "a [private] repository",
        "[private](https://example.com)",
        "</private>",
        "a <private/> b",
        "a <private /> b",
        "&lt;b&gt; and \\u003cb\\u003e",
        "<p>rivate</p>",
        "50% <b>",
        "C:\\private\\notes",
        "é ñ — “x” \u{200b}",
        "<",
        "<p",
        "<priv",
        "&",
        "\\",
        "%",
        "\\u003",
        "&#",
        "&#x;",
        "[",
        "\u{ff1c}",
    ] {
        assert_eq!(without_private(text), text);
    }
}

#[test]
fn many_marks_are_read_once() {
    for piece in [
        "<private>", "<private", "<", "</private>", "<private/>", "[private]", "[private] [/private] ",
        "<private a=\"", "\\", "&amp;", "<\u{200b}",
    ] {
        let text = piece.repeat((1 << 20) / piece.len());
        let begun = crate::home::busy();
        let _ = without_private(&text);
        let taken = crate::home::busy() - begun;
        assert!(taken < 5.0, "{piece}: {taken} s");
    }
}
