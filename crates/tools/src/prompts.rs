//! Prompts that people reach for; they name no tool, so they serve every surface.

pub struct Prompt {
    pub name: &'static str,
    pub title: &'static str,
    pub description: &'static str,
    /// Names and descriptions; each is required.
    pub arguments: &'static [(&'static str, &'static str)],
    /// `{name}` stands for an argument.
    text: &'static str,
}

pub const PROMPTS: &[Prompt] = &[
    Prompt {
        name: "daily_review",
        title: "Daily review",
        description: "Go through today's note and open tasks, and say what is left",
        arguments: &[],
        text: "Find today's daily note in my vault (by its date) and the notes changed today. Tell me briefly what happened, which \
               tasks are done, which are open and overdue, and suggest what to do first tomorrow. Name the note behind each point.",
    },
    Prompt {
        name: "weekly_plan",
        title: "Weekly plan",
        description: "Plan the week from open tasks and running projects",
        arguments: &[],
        text: "Look through my vault for open tasks and notes of running projects. Propose a plan for this week: a few goals, and the \
               tasks that serve them by day. Link every task to its note. Ask before you write anything.",
    },
    Prompt {
        name: "summarise_folder",
        title: "Summarise a folder",
        description: "Summarise the notes of one folder",
        arguments: &[("folder", "Folder, relative to the vault")],
        text: "Read the notes in the folder {folder} of my vault and summarise them: what they are about, what was decided, what is \
               open. Name the note behind each statement as a wikilink.",
    },
    Prompt {
        name: "find_contradictions",
        title: "Find contradictions",
        description: "Find notes that contradict each other about a topic",
        arguments: &[("topic", "What the notes are about")],
        text: "Find the notes in my vault about {topic} and read them. List statements that contradict each other or have been \
               overtaken, each with both quotes and their notes, and say which seems to hold now and why.",
    },
    Prompt {
        name: "suggest_links",
        title: "Suggest links",
        description: "Suggest links from one note to others",
        arguments: &[("path", "Note, relative to the vault")],
        text: "Read {path} in my vault and search for notes it should link to but does not: people, projects and ideas it mentions. \
               Suggest up to ten links, each with the sentence it belongs in and the reason. Change nothing before I agree.",
    },
];

impl Prompt {
    /// The text with its arguments; the name of the first missing one otherwise.
    pub fn fill(&self, given: impl Fn(&str) -> Option<String>) -> Result<String, &'static str> {
        let mut text = self.text.to_owned();
        for (name, _) in self.arguments {
            let value = given(name).filter(|value| !value.trim().is_empty()).ok_or(*name)?;
            text = text.replace(&format!("{{{name}}}"), &value);
        }
        Ok(text)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_prompt_uses_just_the_arguments_it_asks_for() {
        for prompt in PROMPTS {
            let filled = prompt.fill(|name| Some(format!("<{name}>"))).expect("all are given");
            assert!(!filled.contains('{'), "{}", prompt.name);
            assert!(prompt.arguments.iter().all(|(name, _)| filled.contains(&format!("<{name}>"))), "{}", prompt.name);
            assert_eq!(prompt.fill(|_| None).is_err(), !prompt.arguments.is_empty());
        }
    }
}
