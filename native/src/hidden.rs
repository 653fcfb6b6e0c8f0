use crate::tree::Tree;
pub struct Hidden {
    pub characters: usize,
    pub whole: bool,
}
pub fn hide(tree: &mut Tree<'_>, _styles: bool) -> Hidden {
    if std::env::var("NOHIDE").is_err() {
        let all: Vec<u32> = tree
            .elements()
            .filter(|at| tree.has(*at, "hidden"))
            .collect();
        for at in all {
            tree.nodes[at as usize].hidden = true;
        }
    }
    Hidden {
        characters: 0,
        whole: true,
    }
}
