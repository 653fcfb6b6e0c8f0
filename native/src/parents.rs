//! The parents of nodes as bytes: how many steps up from the node before, where that leads there.
//!
//! Nearly all nodes stand below the node before or beside one around it, so that a page of any shape
//! needs few different bytes, which compress well. The other parents follow as numbers.

/// No way of so few steps leads to the parent, which stands among the numbers at the end.
const FAR: u8 = 255;

/// Return the parents of all nodes as bytes.
pub fn packed(parents: &[i32]) -> Vec<u8> {
    let mut far = Vec::new();
    let mut bytes = Vec::with_capacity(parents.len());
    for (node, parent) in parents.iter().enumerate() {
        let mut at = node as i32 - 1;
        let mut steps = 0;
        while at != *parent && at >= 0 && steps < FAR {
            at = parents[at as usize];
            steps += 1;
        }
        if at != *parent {
            steps = FAR;
        }
        if steps == FAR {
            far.extend_from_slice(&parent.to_le_bytes());
        }
        bytes.push(steps);
    }
    bytes.extend(far);
    bytes
}

/// Return the parents of so many nodes; nothing if these are not the bytes of any.
pub fn unpacked(bytes: &[u8], count: usize) -> Option<Vec<i32>> {
    let steps = bytes.get(..count)?;
    let mut far = bytes[count..].chunks_exact(4);
    let mut parents: Vec<i32> = Vec::with_capacity(count);
    for (node, steps) in steps.iter().enumerate() {
        let mut at = node as i32 - 1;
        if *steps == FAR {
            let number = far.next()?;
            at = i32::from_le_bytes([number[0], number[1], number[2], number[3]]);
            if at < -1 || at >= node as i32 {
                return None;
            }
        } else {
            for _ in 0..*steps {
                at = *parents.get(usize::try_from(at).ok()?)?;
            }
        }
        parents.push(at);
    }
    (far.next().is_none() && far.remainder().is_empty()).then_some(parents)
}

/// Return parents of four bytes each in the form of `packed`; nothing if one comes after its child.
pub fn pack(bytes: &[u8]) -> Option<Vec<u8>> {
    let numbers = bytes.chunks_exact(4);
    let parents = numbers.map(|one| i32::from_le_bytes([one[0], one[1], one[2], one[3]]));
    let parents: Vec<i32> = parents.collect();
    let are_sound = parents.iter().zip(0..).all(|(parent, node)| (-1..node).contains(parent));
    are_sound.then(|| packed(&parents))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parents_are_restored() {
        let deep: Vec<i32> = (-1..999).chain([-1, 3, 1000]).collect();
        for parents in [&[][..], &[-1], &[-1, 0, 1, 1, 0, -1], &[-1, 0, 0, 1, 2], &deep] {
            let bytes = packed(parents);
            assert_eq!(unpacked(&bytes, parents.len()).unwrap(), parents);
        }
        assert_eq!(packed(&[-1, 0, 1, 1, 0, -1]), [0, 0, 0, 1, 2, 2]);
        assert_eq!(packed(&[-1, 0, 0, 1]), [0, 0, 1, FAR, 1, 0, 0, 0]);
    }

    #[test]
    fn other_bytes_are_refused() {
        for bytes in [&[][..], &[0], &[0, 2], &[0, 0, 1], &[0, FAR, 1, 0, 0, 0], &[0, FAR, 0, 0]] {
            assert_eq!(unpacked(bytes, 2), None, "{bytes:?}");
        }
        assert_eq!(pack(&[1, 0, 0, 0]), None);
    }
}
