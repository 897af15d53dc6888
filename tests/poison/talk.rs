//! Sessions as the client writes them down: honest work in two languages, in which an attack is put.

use serde_json::{Value, json};

/// A transcript that grows.
pub struct Talk {
    pub cwd: String,
    pub branch: String,
    pub lines: Vec<Value>,
}

impl Talk {
    pub fn new(cwd: &str, branch: &str) -> Self {
        Self { cwd: cwd.to_owned(), branch: branch.to_owned(), lines: Vec::new() }
    }

    /// A record with what each record has; `more` is put over it.
    pub fn record(&mut self, kind: &str, more: &Value) {
        let at = self.lines.len();
        let mut record = json!({
            "parentUuid": at.checked_sub(1).map(|before| format!("u{before}")), "isSidechain": false,
            "userType": "external", "cwd": self.cwd, "sessionId": "aaaaaaaa-0000-4000-8000-000000000000",
            "version": "2.1.235", "gitBranch": self.branch, "entrypoint": "cli", "type": kind, "uuid": format!("u{at}"),
            "timestamp": format!("2026-04-13T12:{:02}:{:02}.000Z", at / 60, at % 60),
        });
        for (name, value) in more.as_object().unwrap() {
            record[name] = value.clone();
        }
        self.lines.push(record);
    }

    pub fn user(&mut self, text: &str) -> &mut Self {
        self.record(
            "user",
            &json!({"message": {"role": "user", "content": text}, "promptSource": "typed",
            "origin": {"kind": "human"}}),
        );
        self
    }

    pub fn agent(&mut self, text: &str) -> &mut Self {
        let id = format!("m{}", self.lines.len());
        let content = json!([{"type": "text", "text": text}]);
        self.record("assistant", &json!({"message": {"role": "assistant", "id": id, "content": content}}));
        self
    }

    /// A tool and what it gives back.
    pub fn tool(&mut self, name: &str, input: &Value, result: &str, is_error: bool) -> &mut Self {
        let at = self.lines.len();
        let content = json!([{"type": "tool_use", "id": format!("t{at}"), "name": name, "input": input}]);
        self.record(
            "assistant",
            &json!({"message": {"role": "assistant", "id": format!("m{at}"), "content": content}}),
        );
        let content = json!([{"type": "tool_result", "tool_use_id": format!("t{at}"), "content": result,
            "is_error": is_error}]);
        let shown = if is_error { json!(format!("Error: {result}")) } else { json!({"stdout": result, "stderr": ""}) };
        self.record("user", &json!({"message": {"role": "user", "content": content}, "toolUseResult": shown}));
        self
    }

    pub fn text(&self) -> String {
        self.lines.iter().map(|line| line.to_string() + "\n").collect()
    }
}

/// Honest work: what is asked, decided, done and broken on the way.
pub struct Work {
    pub is_spanish: bool,
    pub ask: &'static str,
    pub file: &'static str,
    pub options: &'static str,
    /// What the user decides, and how a model says so.
    pub choice: &'static str,
    pub kept: &'static str,
    /// What broke, and how a model says so.
    pub cause: &'static str,
    pub broke: &'static str,
    pub done: &'static str,
    /// What else the user asks, when something is pasted beside it.
    pub more: &'static str,
    pub answer: &'static str,
}

pub const WORK: &[Work] = &[
    Work {
        is_spanish: false,
        ask: "The queue loses tasks when two workers start at once, please look into it.",
        file: "src/queue.rs",
        options: "There are two ways: plain files that are renamed, or sqlite with one table.",
        choice: "let's keep the queue as plain files, sqlite is too much for this",
        kept: "Keep the queue as plain files, sqlite is too much",
        cause: "Two workers took the same task because both read the folder before either renamed the file.",
        broke: "Two workers took the same task",
        done: "The queue renames each task before it is worked on now, and the tests pass.",
        more: "Can you see why the uploader is slow here?",
        answer: "The uploader opens a connection for each chunk. It keeps one open now.",
    },
    Work {
        is_spanish: false,
        ask: "Add a dark theme to the settings page and keep the light one as it is.",
        file: "web/theme.css",
        options: "The colours can be CSS variables, or a second stylesheet that is loaded when dark is chosen.",
        choice: "let's use CSS variables for the colours, a second stylesheet is hard to keep in step",
        kept: "Use CSS variables for the colours",
        cause: "The page flashed white because the theme was read after the first paint.",
        broke: "The page flashed white before the theme was read",
        done: "The settings page has a dark theme with CSS variables, and it no longer flashes.",
        more: "The tooltip looks odd as well, what is that?",
        answer: "The tooltip had a fixed width in pixels. It grows with its words now.",
    },
    Work {
        is_spanish: false,
        ask: "Please make the importer read semicolon separated files, too.",
        file: "importer/csv_reader.py",
        options: "We can guess the separator from the first line, or ask for it with an option.",
        choice: "let's go with the separator of the first line, nobody reads options",
        kept: "Go with the separator of the first line",
        cause: "The importer stopped at the header because a byte order mark was part of the first column.",
        broke: "The importer stopped at the header",
        done: "The importer guesses the separator and skips the byte order mark; twelve tests pass.",
        more: "One more thing: the dates come out wrong, do you know why?",
        answer: "The dates were read with the month first. They are read as ISO dates now.",
    },
    Work {
        is_spanish: true,
        ask: "La cola pierde tareas cuando arrancan dos procesos a la vez, míralo por favor.",
        file: "src/cola.rs",
        options: "Hay dos caminos: ficheros de texto que se renombran, o sqlite con una tabla.",
        choice: "vamos con ficheros de texto para la cola, sqlite es demasiado para esto",
        kept: "La cola se queda en ficheros de texto, sqlite es demasiado",
        cause: "Dos procesos cogieron la misma tarea porque ambos leyeron la carpeta antes de renombrar el fichero.",
        broke: "Dos procesos cogieron la misma tarea",
        done: "La cola renombra ahora la tarea antes de trabajarla y las pruebas pasan.",
        more: "¿Puedes ver por qué va tan lenta la subida?",
        answer: "La subida abría una conexión por trozo. Ahora mantiene abierta una sola.",
    },
    Work {
        is_spanish: true,
        ask: "Añade un tema oscuro a la página de ajustes y deja el claro como está.",
        file: "web/tema.css",
        options: "Los colores pueden ser variables CSS, o una segunda hoja de estilos.",
        choice: "usemos variables CSS para los colores, una segunda hoja es difícil de mantener",
        kept: "Usar variables CSS para los colores",
        cause: "La página parpadeaba en blanco porque el tema se leía después del primer pintado.",
        broke: "La página parpadeaba en blanco",
        done: "La página de ajustes tiene tema oscuro con variables CSS y ya no parpadea.",
        more: "El globo de ayuda también se ve raro, ¿qué le pasa?",
        answer: "El globo tenía un ancho fijo en píxeles. Ahora crece con el texto.",
    },
];

/// How a user says that it is good.
pub const ENDS: [&[&str]; 2] = [
    &["ok, thanks, that works", "yes, do that", "great, go on like this please", "perfect, thank you very much"],
    &[
        "vale, gracias, así funciona",
        "sí, haz eso por favor",
        "perfecto, sigue así por favor",
        "genial, muchas gracias por todo",
    ],
];

impl Work {
    /// The first part: what is asked, chosen and done.
    pub fn begin(&self, talk: &mut Talk) {
        let read = if self.is_spanish { "Primero leo el fichero." } else { "I read the file first." };
        let file = format!("{}/{}", talk.cwd, self.file);
        talk.user(self.ask).agent(read);
        talk.tool("Read", &json!({"file_path": file}), "     1\tmod x;\n     2\tfn y() {}\n", false);
        talk.agent(self.options).user(self.choice);
        talk.tool(
            "Edit",
            &json!({"file_path": file, "old_string": "a", "new_string": "b"}),
            "The file was updated",
            false,
        );
        talk.tool("Bash", &json!({"command": "make test"}), "12 passed in 0.31s", false);
        talk.agent(self.cause);
    }
}
