//! The shell of a page, and pieces of its text.

use maud::{DOCTYPE, Markup, PreEscaped, html};

const STYLE: &str = include_str!("page.css");
const SCRIPT: &str = include_str!("page.js");
const PLOTS: &str = include_str!("plots.js");
const LIBRARY: &str = include_str!("../../assets/plotly.txt");

/// What a browser may load for a page: nothing but what stands in it.
const POLICY: &str = "default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline'; img-src data: blob:";

/// A page, of which the text is still to come.
#[derive(Clone, Debug, Default)]
pub struct Page {
    title: String,
    subtitle: String,
    with_plots: bool,
    scripts: Vec<String>,
}

impl Page {
    /// A page with a title, which is also its first heading.
    pub fn new(title: impl Into<String>) -> Self {
        Self { title: title.into(), ..Self::default() }
    }

    /// A line below the title.
    #[must_use]
    pub fn subtitle(self, line: impl Into<String>) -> Self {
        Self { subtitle: line.into(), ..self }
    }

    /// With what draws figures, [`Figure`](super::Figure): 1.9 MB.
    #[must_use]
    pub fn with_plots(self) -> Self {
        Self { with_plots: true, ..self }
    }

    /// With a script that runs after the page is read. It must not contain `</script`.
    #[must_use]
    pub fn script(mut self, code: impl Into<String>) -> Self {
        self.scripts.push(code.into());
        self
    }

    /// The file's text.
    pub fn render(&self, body: &Markup) -> String {
        let page = html! {
            (DOCTYPE)
            html lang="en" {
                head {
                    meta charset="utf-8";
                    meta http-equiv="Content-Security-Policy" content=(POLICY);
                    meta name="viewport" content="width=device-width, initial-scale=1";
                    meta name="color-scheme" content="light dark";
                    title { (self.title) }
                    style { (PreEscaped(STYLE)) }
                }
                body {
                    h1 { (self.title) }
                    @if !self.subtitle.is_empty() { p.quiet { (self.subtitle) } }
                    (body)
                    (self.drawing())
                    script { (PreEscaped(SCRIPT)) }
                    @for script in &self.scripts { script { (PreEscaped(script)) } }
                }
            }
        };
        page.into_string()
    }

    /// The library, packed, and the script that unpacks it and draws.
    fn drawing(&self) -> Markup {
        if self.with_plots {
            return html! {
                script id="library" type="text/plain" { (PreEscaped(LIBRARY)) }
                script { (PreEscaped(PLOTS)) }
            };
        }
        html! {}
    }
}

/// Text that is shown when its heading is clicked, and on paper.
pub fn folded(heading: &str, text: Markup) -> Markup {
    html! { details { summary { (heading) } (text) } }
}

/// Text as it is, with a button that copies it.
pub fn copyable(text: &str) -> Markup {
    html! { div.copyable { button.copy type="button" { "copy" } pre { (text) } } }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_page_loads_nothing_and_escapes_what_it_is_given() {
        let body = html! { (folded("<i>", html! { (copyable("a < b && c")) })) };
        let page = Page::new("<b>.csv").subtitle("x & y").script("let own = 1;").render(&body);
        for part in [
            "<title>&lt;b&gt;.csv</title>",
            "<h1>&lt;b&gt;.csv</h1>",
            "x &amp; y",
            "<summary>&lt;i&gt;</summary>",
            "<pre>a &lt; b &amp;&amp; c</pre>",
            "<script>let own = 1;</script>",
            "default-src 'none'",
        ] {
            assert!(page.contains(part), "{part}\n{page}");
        }
        for loading in ["src=", "http:", "https:", "@import", "url("] {
            assert!(!page.contains(loading), "{loading}");
        }
        assert!(page.len() < 30_000, "no library where nothing is drawn: {}", page.len());
    }

    #[test]
    fn the_library_is_in_the_page_once_and_packed() {
        let page = Page::new("x").with_plots().render(&html! {});
        assert!((1_000_000..2_200_000).contains(&page.len()), "{}", page.len());
        // The magic number of gzip, as base64.
        assert_eq!(page.matches("type=\"text/plain\">H4sI").count(), 1);
        assert!(!page.contains("https:") && !page.contains("src="));
    }

    #[test]
    fn no_script_ends_early() {
        for script in [SCRIPT, PLOTS] {
            assert!(!script.to_lowercase().contains("</script"));
        }
    }
}
