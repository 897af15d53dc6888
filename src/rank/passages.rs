//! How well texts answer a query: each as a whole, by its best part of some lines, of a line or two and of a clause,
//! and by words that are neighbours in both. Of a text nothing is kept but where the words are.
//!
//! A long text has more parts to choose from, and the best of n grows as the logarithm of n, so it is divided by
//! 1 + ln(n). On pages of one line to three screens (the chats of BEAM) it is right at rank 1 twice as often as without
//! that; where all texts are of one length it changes nothing.

use super::recall::{Query, Term};

/// The bytes of a clause, of a line or two, and of some lines; and what the best clause counts.
const CLAUSE: usize = 120;
const OF_CLAUSE: f64 = 0.5;
const LINE: usize = 250;
const PART: usize = 600;
/// BM25's figures for whole texts, and that for parts, which are of one length.
const K: f64 = 0.9;
const B: f64 = 0.4;
const K_PART: f64 = 1.2;
/// What neighbours count, at most so many bytes apart, in the query's order and in the other one.
const PAIR: f64 = 0.7;
const NEAR: usize = 24;
const REVERSED: f64 = 0.5;
/// What the words count that the answer may have.
const ALSO: f64 = 0.35;

/// Where the terms are in a text: the offset and the term of each word, in order.
pub type Hits = Vec<(usize, usize)>;

/// How often the terms are, over all texts.
#[derive(Clone, Debug)]
pub struct Counts {
    texts: usize,
    bytes: usize,
    /// For each term the texts and the lines that have it.
    having: Vec<(usize, usize)>,
}

impl Counts {
    /// Of no text.
    pub fn new(query: &Query) -> Self {
        Self { texts: 0, bytes: 0, having: vec![(0, 0); query.terms.len()] }
    }

    /// Counts a text.
    pub fn add(&mut self, bytes: usize, hits: &[(usize, usize)]) {
        self.texts += 1;
        self.bytes += bytes;
        let mut last = vec![usize::MAX; self.having.len()];
        for &(at, term) in hits {
            let (last, (texts, lines)) = (&mut last[term], &mut self.having[term]);
            *texts += usize::from(*last == usize::MAX);
            *lines += usize::from(*last != at / LINE);
            *last = at / LINE;
        }
    }
}

/// What a text is worth, and its best part.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Worth {
    /// 0 where no word is there.
    pub score: f64,
    /// The first and the last hit of the best part, in bytes.
    pub from: usize,
    /// See `from`.
    pub to: usize,
}

/// Says what texts are worth.
pub struct Judge<'q> {
    query: &'q Query,
    /// How rare each term is among texts and among lines.
    whole: Vec<f64>,
    part: Vec<f64>,
    mean: f64,
}

#[allow(clippy::cast_precision_loss)] // counts of bytes and texts: far below 2^52
fn float(count: usize) -> f64 {
    count as f64
}

fn rarity(having: usize, all: usize) -> f64 {
    let (having, all) = (float(having), float(all.max(having)));
    (1.0 + (all - having + 0.5) / (having + 0.5)).ln()
}

impl<'q> Judge<'q> {
    /// With how rare the words are.
    pub fn new(query: &'q Query, counts: &Counts) -> Self {
        let lines = counts.bytes / LINE + 1;
        let whole = counts.having.iter().map(|(texts, _)| rarity(*texts, counts.texts)).collect();
        let part = counts.having.iter().map(|(_, of)| rarity(*of, lines)).collect();
        Self { query, whole, part, mean: float(counts.bytes) / float(counts.texts.max(1)) }
    }

    /// What a text of so many bytes is worth.
    pub fn worth(&self, bytes: usize, hits: &[(usize, usize)]) -> Worth {
        let asked = self.of(bytes, hits, |term| term.is_asked);
        let also = self.of(bytes, hits, |term| term.is_also);
        let best = if asked.score > 0.0 { asked } else { also };
        let score = asked.score + ALSO * also.score + PAIR * self.pairs(hits);
        Worth { score, ..best }
    }

    /// The same by some of the terms alone.
    fn of(&self, bytes: usize, hits: &[(usize, usize)], is_of: impl Fn(&Term) -> bool) -> Worth {
        let rare = |(term, rare): (&Term, &f64)| if is_of(term) { *rare } else { 0.0 };
        let part: Vec<f64> = self.query.terms.iter().zip(&self.part).map(rare).collect();
        let all: f64 = part.iter().sum();
        if all <= 0.0 {
            return Worth { score: 0.0, from: 0, to: 0 };
        }
        let mut counts = vec![0_u32; part.len()];
        for (_, term) in hits {
            counts[*term] += 1;
        }
        let length = K * (1.0 - B + B * float(bytes) / self.mean.max(1.0));
        let text = |(count, rare): (&u32, f64)| rare * f64::from(*count) * (K + 1.0) / (f64::from(*count) + length);
        let text: f64 = counts.iter().zip(self.query.terms.iter().zip(&self.whole).map(rare)).map(text).sum();
        let best = |of: usize| {
            let (worth, from, to) = best_part(hits, &part, of);
            (worth / (1.0 + (float(bytes.max(of)) / float(of)).ln()), from, to)
        };
        let (clause, _, _) = best(CLAUSE);
        let (line, from, to) = best(LINE);
        let (some, _, _) = best(PART);
        Worth { score: (text + OF_CLAUSE * clause + line + some) / all, from, to }
    }

    /// The share of the query's neighbours that are neighbours here.
    fn pairs(&self, hits: &[(usize, usize)]) -> f64 {
        let pairs = &self.query.pairs;
        if pairs.is_empty() {
            return 0.0;
        }
        let mut found = vec![0.0_f64; pairs.len()];
        for (place, (at, term)) in hits.iter().enumerate() {
            let near = hits.iter().skip(place + 1).take_while(|(next, _)| next - at <= NEAR);
            for (_, next) in near {
                for ((one, other), found) in pairs.iter().zip(&mut found) {
                    if (one, other) == (term, next) {
                        *found = 1.0;
                    } else if (one, other) == (next, term) {
                        *found = found.max(REVERSED);
                    }
                }
            }
        }
        let weight = |(one, other): &(usize, usize)| self.part[*one] + self.part[*other];
        let all: f64 = pairs.iter().map(weight).sum();
        let here: f64 = pairs.iter().zip(&found).map(|(pair, found)| weight(pair) * found).sum();
        if all > 0.0 { here / all } else { 0.0 }
    }
}

/// The best part of so many bytes: what it is worth, and its first and last hit.
fn best_part(hits: &[(usize, usize)], rare: &[f64], bytes: usize) -> (f64, usize, usize) {
    let worth = |count: u32| f64::from(count) * (K_PART + 1.0) / (f64::from(count) + K_PART);
    let mut counts = vec![0_u32; rare.len()];
    let (mut best, mut now) = ((0.0, 0, 0), 0.0);
    let mut first = 0;
    for (at, term) in hits {
        now += rare[*term] * (worth(counts[*term] + 1) - worth(counts[*term]));
        counts[*term] += 1;
        while at - hits[first].0 > bytes {
            let gone = hits[first].1;
            now -= rare[gone] * (worth(counts[gone]) - worth(counts[gone] - 1));
            counts[gone] -= 1;
            first += 1;
        }
        if now > best.0 + 1e-9 {
            best = (now, hits[first].0, *at);
        }
    }
    best
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base::cases::dice;
    use crate::rank::Scanner;

    fn hits(query: &Query, text: &str) -> Hits {
        let mut found = Hits::new();
        Scanner::new(query).scan(text.as_bytes(), |at, term| found.push((at, term)));
        found
    }

    /// The places of some texts, the best one first; those that have none of the words are not there.
    fn order(question: &str, also: &str, texts: &[&str]) -> Vec<usize> {
        let query = Query::new(question, also);
        let found: Vec<Hits> = texts.iter().map(|text| hits(&query, text)).collect();
        let mut counts = Counts::new(&query);
        texts.iter().zip(&found).for_each(|(text, hits)| counts.add(text.len(), hits));
        let judge = Judge::new(&query, &counts);
        let worth = |at: usize| judge.worth(texts[at].len(), &found[at]).score;
        let mut all: Vec<usize> = (0..texts.len()).filter(|at| worth(*at) > 0.0).collect();
        all.sort_by(|one, other| worth(*other).total_cmp(&worth(*one)));
        all
    }

    #[test]
    fn the_best_part_is_that_of_a_slow_reader() {
        let mut roll = dice(5);
        for round in 0..500 {
            let rare: Vec<f64> = (0..4).map(|_| f64::from(u32::try_from(roll(9)).unwrap() + 1)).collect();
            let mut at = 0;
            let hits: Vec<(usize, usize)> = (0..roll(30))
                .map(|_| {
                    at += roll(150);
                    (at, roll(4))
                })
                .collect();
            let worth = |part: &[(usize, usize)]| -> f64 {
                let count =
                    |term: usize| f64::from(u32::try_from(part.iter().filter(|hit| hit.1 == term).count()).unwrap());
                (0..4).map(|term| rare[term] * count(term) * (K_PART + 1.0) / (count(term) + K_PART)).sum()
            };
            let parts = (0..hits.len()).flat_map(|from| (from..hits.len()).map(move |to| (from, to)));
            let wide = parts.filter(|(from, to)| hits[*to].0 - hits[*from].0 <= LINE);
            let slow = wide.map(|(from, to)| worth(&hits[from..=to])).fold(0.0, f64::max);
            let (fast, from, to) = best_part(&hits, &rare, LINE);
            assert!((fast - slow).abs() < 1e-6, "{round}: {fast} {slow} {hits:?}");
            assert!(to - from <= LINE && (hits.is_empty() || hits.iter().any(|hit| hit.0 == from)));
        }
    }

    #[test]
    fn what_is_together_beats_what_is_apart() {
        let far = "x ".repeat(2000);
        let apart = format!("queue {far} host");
        let near = format!("{far} the host has a long list of things and the queue is one of them");
        let pair = format!("{far} a queue host it is, of things");
        let other = format!("{far} a host queue it is, of things");
        let texts = [apart.as_str(), &near, &other, &pair, &far];
        assert_eq!(order("queue host", "", &texts), [3, 2, 1, 0]);
        // A rare word says more than a common one.
        let texts = ["error here", "error there", "error walrus", "walrus", "error again", "nothing"];
        assert_eq!(order("walrus error", "", &texts)[..2], [2, 3]);
        // What the answer may say counts less than what was asked.
        assert_eq!(order("walrus", "otter seal", &["an otter", "a walrus", "a seal and an otter", "x"]), [1, 2, 0]);
        assert_eq!(order("walrus", "otter", &["a walrus", "a walrus and an otter"]), [1, 0]);
    }

    #[test]
    fn the_formula_is_that_of_the_page() {
        let (query, text) = (Query::new("walrus", ""), "a walrus");
        let found = hits(&query, text);
        let mut counts = Counts::new(&query);
        counts.add(text.len(), &found);
        counts.add(text.len(), &[]);
        let worth = Judge::new(&query, &counts).worth(text.len(), &found);
        // One of two texts, one part of one: T and the parts' rarities are ln(1 + 0.5 / 1.5), F's is ln(1 + 1.5 / 1.5).
        let (whole, part) = (2.0_f64.ln(), (1.0 + 0.5 / 1.5_f64).ln());
        let parts = part * 2.2 / 2.2;
        let wanted = (whole * 1.9 / 1.9 + parts / 2.0 + parts + parts) / part;
        assert!((worth.score - wanted).abs() < 1e-9, "{} {wanted}", worth.score);
        assert_eq!((worth.from, worth.to), (2, 2));
    }
}
