//! Tables of cases for unit tests: a line is a case, its cells are separated by tabs, and a line that begins with `#`
//! says what follows. A cell is written as between the quotation marks of JSON (`\n`, `\u00e9`), its own quotation
//! marks as they are.

/// The cases of a table, each with its cells.
///
/// # Panics
///
/// If a case has another number of cells, or a cell that is not a text of JSON.
pub fn rows<const N: usize>(table: &str) -> impl Iterator<Item = [String; N]> {
    let rows = table.lines().filter(|row| !row.starts_with('#'));
    rows.map(|row| row.split('\t').map(cell).collect::<Vec<String>>().try_into().unwrap())
}

/// Numbers that look thrown, each below the sides that it is thrown with; of one seed they are the same each time.
///
/// # Panics
///
/// If it is thrown with no side.
pub fn dice(mut seed: u64) -> impl FnMut(usize) -> usize {
    move |sides| {
        seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        usize::try_from(seed >> 33).unwrap() % sides
    }
}

fn cell(cell: &str) -> String {
    let (mut quoted, mut letters) = (String::new(), cell.chars());
    while let Some(letter) = letters.next() {
        quoted.extend((letter == '"').then_some('\\'));
        quoted.push(letter);
        quoted.extend((letter == '\\').then(|| letters.next()).flatten());
    }
    serde_json::from_str(&format!("\"{quoted}\"")).unwrap_or_else(|error| panic!("{cell}: {error}"))
}
