//! The transcript reader against a plain reader.
