#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| lh_fuzz::bodies::transcript(bytes));
