//! What CSS declarations do to text: whether a visitor can see it.

use super::colours::is_clear;
use super::lengths::{least, lengths, most, number, parsed, share, EM, PERCENT};
use super::properties::{Look, Property, Property::*};
use super::text::number_end;

const TINY: f64 = 2.0;
const BLURRED: f64 = 8.0;
const FAR: f64 = 900.0;
const MOVED_FAR: f64 = 5_000.0;
const TIGHT: f64 = 8.0;
const ALL: f64 = 100.0;
const FLAT: f64 = 0.1;

const SIZES: [Property; 4] = [Height, MaxHeight, Width, MaxWidth];
const SIDES: [Property; 5] = [Left, Top, Right, Inset, InsetInlineStart];
const MARGINS: [Property; 3] = [Margin, MarginLeft, MarginTop];
const MASKS: [Property; 3] = [Mask, MaskImage, WebkitMaskImage];
const OVERFLOWS: [Property; 3] = [Overflow, OverflowX, OverflowY];
const PADDINGS: [Property; 3] = [Padding, PaddingBottom, PaddingTop];
const GROWTHS: [Property; 4] = [MinWidth, MinHeight, Flex, FlexGrow];
const ANIMATIONS: [Property; 3] = [Animation, AnimationName, WebkitAnimation];
const RELATIVE: [Property; 4] = [Opacity, Filter, FontSize, Font];

/// Those that can hide all that is inside an element.
const HIDING: u64 = bits(&[Display, ContentVisibility, Clip, ClipPath, Transform, Scale])
    | bits(&[Translate, TextIndent, LetterSpacing])
    | bits(&SIDES)
    | bits(&MARGINS)
    | bits(&MASKS)
    | bits(&OVERFLOWS);

const fn bits(properties: &[Property]) -> u64 {
    let (mut all, mut at) = (0, 0);
    while at < properties.len() {
        all |= properties[at].bit();
        at += 1;
    }
    all
}

/// Return true if a declaration may hide text, with or without the help of others.
pub fn may_hide(property: Property, value: &str) -> bool {
    let test: fn(&str) -> bool = match property {
        Display => is_not_there,
        Visibility => is_not_painted,
        ContentVisibility => |value| value == "hidden",
        Opacity => |value| opacity_of(value) < 1.0,
        Filter => |value| filtered(1.0, value) < 1.0,
        Height | MaxHeight | Width | MaxWidth | LineHeight => is_small,
        Left | Top | Right | Inset | InsetInlineStart | TextIndent => is_far,
        Margin | MarginLeft | MarginTop => is_far,
        Clip => is_clipped,
        ClipPath => is_cut_out,
        Mask | MaskImage | WebkitMaskImage => is_masked,
        Transform => is_transformed,
        Scale => is_scaled,
        Translate => is_translated,
        LetterSpacing => is_tight,
        FontSize => |value| is_half(size_of(value, EM)),
        Font => |value| is_half(size_of(before_slash(value), EM)),
        Color | WebkitTextFillColor => is_clear,
        _ => return false,
    };
    value.contains("var(") || test(value)
}

/// Return true if declarations hide all that is inside an element.
pub fn hides(look: &Look, is_cell: bool) -> bool {
    if !look.has_any(HIDING) {
        return false;
    }
    let position = look.text(Position);
    let fixed = matches!(position, "absolute" | "fixed");
    let moved = fixed || position == "relative";
    is_not_there(look.text(Display))
        || look.text(ContentVisibility) == "hidden"
        || is_shut(look, is_cell)
        || (moved && SIDES.iter().any(|one| is_far(look.text(*one))))
        || MARGINS.iter().any(|one| is_far_margin(look.text(*one)))
        || (fixed && is_clipped(look.text(Clip)))
        || is_cut_out(look.text(ClipPath))
        || MASKS.iter().any(|one| is_masked(look.text(*one)))
        || is_transformed(look.text(Transform))
        || is_scaled(look.text(Scale))
        || is_translated(look.text(Translate))
        || is_far(look.text(TextIndent))
        || is_tight(look.text(LetterSpacing))
}

/// Return true if an element has next to no size, and cuts off what does not fit.
fn is_shut(look: &Look, is_cell: bool) -> bool {
    let cuts = |value: &str| value.contains("hidden") || value.contains("clip");
    if !OVERFLOWS.iter().any(|one| cuts(look.text(*one))) {
        return false;
    }
    let grows = GROWTHS.iter().any(|one| look.has(*one));
    let padded = || PADDINGS.iter().any(|one| most(look.text(*one), PERCENT) > TINY);
    if grows || is_cell || padded() {
        return false;
    }
    let flat = number(look.text(LineHeight)).is_some_and(|line| line.number == 0.0);
    flat || SIZES.iter().any(|one| is_small(look.text(*one)))
}

/// Return how much is seen of an element.
pub fn opacity(look: &Look) -> f64 {
    if is_animated(look) {
        return 1.0;
    }
    filtered(opacity_of(look.text(Opacity)), look.text(Filter))
}

fn opacity_of(value: &str) -> f64 {
    share(value).map_or(1.0, |own| own.min(1.0))
}

/// Return what filters leave of what is seen.
fn filtered(mut seen: f64, value: &str) -> f64 {
    let mut rest = value;
    while let Some(open) = rest.find('(') {
        let (before, after) = (&rest[..open], &rest[open + 1..]);
        let end = after.find(['(', ')']).unwrap_or(after.len());
        rest = after;
        let Some(behind) = after[end..].strip_prefix(')') else {
            continue;
        };
        let amount = || least(&after[..end], 0.01, 1.0);
        if before.ends_with("opacity") {
            seen *= amount().clamp(0.0, 1.0);
        } else if before.ends_with("blur") && amount() >= BLURRED {
            seen = 0.0;
        }
        rest = behind;
    }
    seen
}

/// Return true if what is hidden at first will show.
fn is_animated(look: &Look) -> bool {
    ANIMATIONS.iter().any(|one| look.get(*one).is_some_and(|value| value != "none"))
}

/// Return true if it depends on the elements around what declarations do.
pub fn is_relative(look: &Look) -> bool {
    RELATIVE.iter().any(|one| look.has(*one))
}

/// Return true if text is not painted.
pub fn is_invisible(look: &Look) -> bool {
    !is_animated(look) && is_not_painted(look.text(Visibility))
}

/// Return the size of letters in pixels, given that of the text around; None if not said.
pub fn font_size(look: &Look, around: f64) -> Option<f64> {
    match look.text(FontSize) {
        "" => size_of(before_slash(look.text(Font)), around),
        size => size_of(size, around),
    }
}

fn before_slash(font: &str) -> &str {
    font.split('/').next().unwrap_or("")
}

fn size_of(value: &str, around: f64) -> Option<f64> {
    let said = lengths(value).filter(|one| !one.unit.is_empty() || one.number == 0.0);
    let last = said.last()?;
    if value.contains("calc") {
        return None;
    }
    match last.unit {
        "em" => Some(last.number * around),
        "%" => Some(last.number * around / 100.0),
        "rem" if last.number != 0.0 => None, // the size of the root may be anything
        _ => Some(last.pixels()),
    }
}

/// Return true if letters of that size can't be read.
pub fn is_tiny(size: f64) -> bool {
    size <= TINY
}

/// Return the property that declares the colour of text.
pub fn text_colour(look: &Look) -> Option<Property> {
    let one = match look.text(WebkitTextFillColor) {
        "" => Color,
        _ => WebkitTextFillColor,
    };
    (!matches!(look.text(one), "" | "inherit" | "currentcolor")).then_some(one)
}

/// Return the property that declares what is behind the text, if anything is.
pub fn ground(look: &Look) -> Option<Property> {
    if let Some(image) = look.get(BackgroundImage).filter(|image| *image != "none") {
        return (!image.is_empty()).then_some(BackgroundImage);
    }
    let one = match look.text(BackgroundColor) {
        "" => Background,
        _ => BackgroundColor,
    };
    let own = look.text(one);
    let nothing = matches!(own, "" | "none" | "inherit" | "initial" | "0") || is_clear(own);
    (!nothing).then_some(one)
}

/// Return true if text is, and its ground does not show through the letters.
pub fn is_transparent(look: &Look) -> bool {
    let clip = look.get(BackgroundClip).or(look.get(WebkitBackgroundClip));
    let seen = clip.is_some_and(|value| value.contains("text")) || look.has(TextShadow);
    !seen && text_colour(look).is_some_and(|one| is_clear(look.text(one)))
}

fn is_not_there(display: &str) -> bool {
    matches!(display, "none" | "table-column" | "table-column-group")
}

fn is_not_painted(visibility: &str) -> bool {
    matches!(visibility, "hidden" | "collapse")
}

fn is_small(value: &str) -> bool {
    let greatest = lengths(value).map(|one| one.pixels()).reduce(f64::max);
    greatest.is_some_and(|pixels| pixels <= TINY) && !value.contains("calc")
}

/// Return true if a value moves something out of sight; a percentage may mean anything.
fn is_far(value: &str) -> bool {
    least(value, 0.0, 0.0) <= -FAR
        || (value.contains("calc") && value.contains('-') && most(value, 0.0) >= FAR)
}

/// Return true if margins at the left or the top move something out of sight.
fn is_far_margin(margin: &str) -> bool {
    if margin.contains('(') {
        return is_far(margin);
    }
    let sides = margin.split(' ').enumerate();
    let some: Vec<&str> = sides.filter(|(at, _)| *at == 0 || *at > 2).map(|(_, one)| one).collect();
    is_far(&some.join(" "))
}

fn is_clipped(value: &str) -> bool {
    if !value.starts_with("rect") {
        return false;
    }
    let sides: Vec<f64> = lengths(value).map(|one| one.pixels()).collect();
    match sides[..] {
        [top, right, bottom, left] => bottom - top <= TINY || right - left <= TINY,
        _ => false,
    }
}

fn is_cut_out(path: &str) -> bool {
    if path.starts_with("inset") {
        let percent = |unit: &str, number| if unit == "%" { number } else { 0.0 };
        let sides: Vec<f64> = lengths(path).map(|one| percent(one.unit, one.number)).collect();
        let side = |places: &[usize]| places.iter().find_map(|at| sides.get(*at)).unwrap_or(&0.0);
        let (top, right, bottom, left) =
            (side(&[0]), side(&[1, 0]), side(&[2, 0]), side(&[3, 1, 0]));
        return top + bottom >= ALL || left + right >= ALL;
    }
    if path.starts_with("circle") || path.starts_with("ellipse") {
        let size = path.split(" at ").next().unwrap_or("");
        return least(size, PERCENT, EM) <= TINY;
    }
    path.starts_with("polygon") && most(path, PERCENT) <= TINY
}

/// Return true if a mask is a gradient from nothing to nothing.
fn is_masked(mask: &str) -> bool {
    let Some((head, stops)) = mask.split_once('(') else {
        return false;
    };
    let Some(inside) = stops.strip_suffix(')') else {
        return false;
    };
    stops.contains("transparent")
        && head.ends_with("gradient")
        && !head.contains(' ')
        && inside.split([' ', ',']).all(|stop| stop.is_empty() || is_stop(stop))
}

fn is_stop(stop: &str) -> bool {
    if matches!(stop, "transparent" | "to" | "left" | "right" | "top" | "bottom") {
        return true;
    }
    let digits = stop.strip_suffix('%').or(stop.strip_suffix("deg")).unwrap_or(stop);
    !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit())
}

fn is_transformed(value: &str) -> bool {
    let flat = value.match_indices("scale").any(|(at, _)| is_flat(&value[at + 5..]));
    flat || value.match_indices("rotate").any(|(at, _)| is_turned(&value[at + 6..]))
        || is_moved(value)
}

/// Return true if what follows "scale" makes it next to nothing.
fn is_flat(rest: &str) -> bool {
    let rest = rest.strip_prefix("3d").or(rest.strip_prefix(['x', 'y'])).unwrap_or(rest);
    let Some(rest) = rest.strip_prefix('(') else {
        return false;
    };
    let rest = rest.strip_prefix(' ').unwrap_or(rest);
    let Some(end) = number_end(rest.as_bytes(), 0) else {
        return false;
    };
    let behind = rest[end..].strip_prefix(' ').unwrap_or(&rest[end..]);
    behind.starts_with([',', ')']) && parsed(&rest[..end]) < FLAT
}

/// Return true if what follows "rotate" shows the edge only.
fn is_turned(rest: &str) -> bool {
    let Some(rest) = rest.strip_prefix("x(").or(rest.strip_prefix("y(")) else {
        return false;
    };
    let rest = rest.strip_prefix(' ').unwrap_or(rest);
    rest.strip_prefix('-').unwrap_or(rest).starts_with("90deg")
}

fn is_moved(value: &str) -> bool {
    for (at, name) in value.match_indices("translate") {
        let behind = value[at + name.len()..].trim_start_matches(['x', 'y', 'z', '3', 'd']);
        if !behind.starts_with('(') {
            continue;
        }
        let Some(end) = behind.find(')') else {
            continue;
        };
        let moved = &value[at..value.len() - behind.len() + end];
        return (-least(moved, 0.0, 1.0)).max(most(moved, 0.0)) >= MOVED_FAR;
    }
    false
}

fn is_scaled(value: &str) -> bool {
    !value.is_empty() && is_transformed(&format!("scale({value})"))
}

fn is_translated(value: &str) -> bool {
    !value.is_empty() && is_transformed(&format!("translate({value})"))
}

fn is_tight(value: &str) -> bool {
    least(value, PERCENT, 0.0) <= -TIGHT
}

fn is_half(size: Option<f64>) -> bool {
    size.is_some_and(|size| size <= EM / 2.0)
}
