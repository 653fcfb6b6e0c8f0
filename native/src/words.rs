use std::borrow::Cow;
pub fn fold(text: &str) -> Cow<'_, str> {
    text.to_lowercase().into()
}
pub fn count_words(text: &str) -> usize {
    text.split(|c: char| !c.is_alphanumeric() && c != '_')
        .filter(|w| !w.is_empty())
        .count()
}
