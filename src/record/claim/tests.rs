use super::*;

const SAME: &[(&str, &str)] = &[
    ("Profile deploy uses symlinks", "The profile deploy will use symlinks"),
    ("Profile deploy uses symlinks", "Use symlinks for the profile deploy"),
    ("Profile deploy uses symlinks", "Profiles are deployed using symlinks"),
    ("Profile deploy uses symlinks", "Deploying a profile uses a symlink"),
    ("Profile deploy uses symlinks", "Symlinks are used for profile deploys"),
    ("Profile deploy uses symlinks", "Deploy of profiles by using symlinks"),
    ("Profile deploy uses symlinks", "For profile deploys, a symlink is used"),
    ("Profile deploy uses symlinks", "Profile deploys: symlinks used"),
    ("Use sqlite instead of postgres", "Use sqlite rather than postgres"),
    ("Use sqlite instead of postgres", "Instead of postgres use sqlite"),
    ("Run the tests in docker", "In docker, run the tests"),
    ("The worker calls the server", "The server is called by the worker"),
    ("ask Ana about the logo", "Asking Ana about the logo."),
    ("Usar sqlite en lugar de postgres", "Usar sqlite en vez de postgres"),
    ("Los perfiles se copian con rsync", "Copiar los perfiles con rsync"),
];

const DIFFERENT: &[(&str, &str)] = &[
    ("Enable the cache in staging", "Disable the cache in staging"),
    ("Keep the old logs of the worker", "Remove the old logs of the worker"),
    ("Squash the commits before the merge", "Squash the commits after the merge"),
    ("Turn logging on in the worker", "Turn logging off in the worker"),
    ("Use sqlite, not postgres", "Use postgres, not sqlite"),
    ("Use sqlite instead of postgres", "Use postgres instead of sqlite"),
    ("Migrate from sqlite to postgres", "Migrate from postgres to sqlite"),
    ("Migrar de sqlite a postgres", "Migrar de postgres a sqlite"),
    ("Cambiar tabs a espacios", "Cambiar espacios a tabs"),
    ("Export the data from S3", "Export the data to S3"),
    ("The client calls the server", "The server calls the client"),
    ("The client calls the server", "The client is called by the server"),
    ("Test the export", "Export the tests"),
    ("Build, then test", "Test, then build"),
    ("Retry if it fails", "Retry unless it fails"),
    ("Run with the cache", "Run without the cache"),
    ("Alert when load is > 5", "Alert when load is < 5"),
    ("Ana reviews, Bob deploys", "Bob reviews, Ana deploys"),
    ("Use plan A for the launch", "Use plan B for the launch"),
    ("Fix the alpha build", "Fix the beta build"),
    ("The flag may be removed", "The flag must be removed"),
    ("The tests were fixed", "Fix the tests"),
    ("Activar la caché en producción", "Desactivar la caché en producción"),
    ("Desplegar antes de migrar", "Desplegar después de migrar"),
    ("Import the policy", "The policy is important"),
    ("Search the logs of the worker", "Search for the logs of the worker"),
    ("Deploy staging tonight", "Deploy to staging tonight"),
    ("Exportar de S3", "Exportar S3"),
    ("The server calls", "The server is called"),
    ("The worker blocks", "The worker is blocked"),
    ("The exports are tested", "Export the tests"),
    ("Testing the export", "Export the tests"),
    ("Encrypt the stored keys", "Store the encrypted keys"),
    ("The signed files are uploaded", "Sign the uploaded files"),
    ("Ana needs the key", "Ana has the key"),
    ("We need tests for the queue", "We have tests for the queue"),
    ("Ship by Friday", "Ship on Friday"),
    ("Reply within 5 days", "Reply in 5 days"),
    ("No, deploy on Friday", "No deploy on Friday"),
    ("✅ deploy of the worker", "❌ deploy of the worker"),
    ("Run the worker as root", "Run the worker root"),
    ("Call swap(a, b) in the loop", "Call swap(b, a) in the loop"),
    ("Keep x >= 5", "Keep x <= 5"),
    ("Use our server for the tests", "Use your server for the tests"),
    ("They deploy the app", "We deploy the app"),
    ("Get the key from the vault", "The key from the vault"),
    ("Ask IT about the port", "Ask it about the port"),
    ("Build the cache", "Cache the build"),
    ("Review the plan", "Plan the review"),
    ("The test for the server", "The server for the test"),
    ("Turn the alarm on", "Turn the alarm off"),
    ("Sí, desplegar el viernes", "No, desplegar el viernes"),
    ("Use symlinks for the deploy?", "Use symlinks for the deploy"),
    ("Fix the login page", "Fixed the login page"),
    ("First build, then test", "First test, then build"),
    ("Todos los tests deben pasar", "Los tests no deben pasar todos"),
    ("Guardar las claves cifradas", "Cifrar las claves guardadas"),
    ("El servidor reinicia el worker", "El worker reinicia el servidor"),
    ("The temperature is −5", "The temperature is 5"),
    ("Deploy without tests and with lint", "Deploy with tests and without lint"),
];

#[test]
fn the_same_in_other_words() {
    for (a, b) in SAME {
        assert!(Claim::read(a).is_same(&Claim::read(b)), "{a} / {b}\n{:?}\n{:?}", Claim::read(a), Claim::read(b));
    }
}

#[test]
fn another_claim() {
    let mut wrong = Vec::new();
    for (a, b) in DIFFERENT {
        let (one, two) = (Claim::read(a), Claim::read(b));
        if one.is_same(&two) {
            wrong.push(format!("{a} / {b}\n{:?}\n{:?}", one.tokens, two.tokens));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// The pairs of tests/pairs.tsv: label, group, kind, whether the quote is shared, two sentences.
fn pairs() -> Vec<Vec<&'static str>> {
    let lines =
        include_str!("../../../tests/pairs.tsv").lines().filter(|line| !line.starts_with('#') && !line.is_empty());
    lines
        .map(|line| line.split('\t').collect::<Vec<_>>())
        .filter(|fields| fields.len() == 6 && fields[0] != "label")
        .collect()
}

/// No pair that differs may be called the same; of those that are the same most must be found.
#[test]
fn labelled_pairs() {
    let (mut wrong, mut missed) = (Vec::new(), Vec::new());
    let mut counts = [0_usize, 0];
    for pair in pairs() {
        let [label, group, kind, _, a, b] = pair[..] else { continue };
        let near = |a: &Claim, b: &Claim| a.is_same(b);
        let of = |text| if kind == "failure" { Claim::read(text).timeless() } else { Claim::read(text) };
        let (one, two) = (of(a), of(b));
        assert_eq!(near(&one, &two), near(&two, &one), "{a} / {b}");
        counts[usize::from(label == "same")] += 1;
        match (label, near(&one, &two)) {
            ("different", true) => wrong.push(format!("{group}: {a} / {b}")),
            ("same", false) => missed.push(format!("{group}: {a} / {b}")),
            _ => {}
        }
    }
    let [different, same] = counts;
    assert!(different >= 340 && same >= 90, "{different} different, {same} same");
    assert!(wrong.is_empty(), "called the same: {wrong:#?}");
    // The pages say both.
    assert!(missed.len() * 10 <= same * 3, "{} of {same} not found: {missed:#?}", missed.len());
}

/// Who repeats a claim makes no second one; what a lead says besides counts.
#[test]
fn a_lead_that_only_says_that_it_was_said_before_is_no_claim() {
    let claim = "Keep the queue as plain files, not in sqlite";
    for lead in [
        "As decided earlier, ",
        "As we agreed before: ",
        "We decided that ",
        "It was decided in the last session: ",
        "- decided 2026-04-13 (89d3b8): ",
        "fact 2026-04-13 (89d3b8): ",
        "Decision: ",
        "Como ya se decidió, ",
    ] {
        assert!(Claim::read(&format!("{lead}{claim}")).is_same(&Claim::read(claim)), "{lead}");
    }
    for lead in [
        "Not as decided earlier, ",
        "As decided for Windows, ",
        "Nobody decided that ",
        "We never agreed to ",
        "We had decided to ",
        "Failed: ",
        "Port 80: ",
        "In the last session, ",
        "If decided, ",
    ] {
        assert!(!Claim::read(&format!("{lead}{claim}")).is_same(&Claim::read(claim)), "{lead}");
    }
    for whole in ["Decided:", "As decided, ", "that", "decided to "] {
        assert!(Claim::read(whole).is_same(&Claim::read(whole)), "{whole}");
    }
}

/// Two sides that change places, whatever they are.
#[test]
fn sides_that_change_places_make_another_claim() {
    let frames = [
        "Use {} instead of {}",
        "Use {}, not {}",
        "Prefer {} over {}",
        "Prefer {} to {}",
        "Use {} rather than {}",
        "Replace {} with {}",
        "Migrate from {} to {}",
        "Run {} before {}",
        "Run {} after {}",
        "{} depends on {}",
        "{} blocks {}",
        "{} is blocked by {}",
        "{} replaces {}",
        "Move {} into {}",
        "Merge {} into {}",
        "Deploy {}, then {}",
        "Keep {} and drop {}",
        "Use {} for {}",
        "{} goes behind {}",
        "Copy {} to {}",
        "Start {} until {} is up",
        "{} must not call {}",
        "We use {} and never {}",
        "Usar {} en lugar de {}",
        "Usar {} en vez de {}",
        "Usar {}, no {}",
        "Migrar de {} a {}",
        "Ejecutar {} antes de {}",
        "{} depende de {}",
        "Cambiar {} por {}",
        "Mantener {} y quitar {}",
        "Preferir {} a {}",
        "{} bloquea {}",
        "{} reemplaza a {}",
    ];
    let sides = [
        ("sqlite", "postgres"),
        ("the alpha build", "the beta build"),
        ("Redis", "Memcached"),
        ("tabs", "spaces"),
        ("la caché", "el índice"),
        ("port 80", "port 8080"),
        ("src/a.rs", "src/b.rs"),
        ("the worker", "the server"),
        ("Ana", "Luis"),
        ("the tests", "the export"),
    ];
    let mut wrong = Vec::new();
    for frame in frames {
        for (a, b) in sides {
            let put =
                |first: &str, second: &str| Claim::read(&frame.replacen("{}", first, 1).replacen("{}", second, 1));
            let (one, two) = (put(a, b), put(b, a));
            assert!(one.is_same(&put(a, b)) && one.is_equal(&put(a, b)));
            if one.is_same(&two) {
                wrong.push(format!("{frame}: {a}, {b}"));
            }
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
}

/// One word that is another one makes another claim, however long the sentence is.
#[test]
fn one_other_word_makes_another_claim() {
    let words = [
        ("enable", "disable"),
        ("keep", "remove"),
        ("add", "drop"),
        ("allow", "deny"),
        ("with", "without"),
        ("before", "after"),
        ("above", "below"),
        ("on", "off"),
        ("up", "down"),
        ("all", "some"),
        ("always", "never"),
        ("start", "stop"),
        ("first", "last"),
        ("left", "right"),
        ("more", "less"),
        ("Monday", "Friday"),
        ("staging", "production"),
        ("encrypt", "decrypt"),
        ("from", "to"),
        ("5", "6"),
        ("if", "unless"),
        ("and", "or"),
        ("may", "must"),
        ("sqlite", "postgres"),
        ("Ana", "Luis"),
        ("safe", "unsafe"),
        ("while", "until"),
        ("into", "from"),
        ("over", "under"),
        ("import", "important"),
        ("commit", "commitment"),
        ("public", "private"),
    ];
    let frames = [
        "Keep the lock {} the queue",
        "{} the retries",
        "The worker of the queue runs {} the nightly export of the billing service in the old cluster",
        "In CI, {} caches for the tests of the client are wanted by the whole team on every branch",
    ];
    let mut wrong = Vec::new();
    for (a, b) in words {
        for frame in frames {
            let (one, two) = (Claim::read(&frame.replace("{}", a)), Claim::read(&frame.replace("{}", b)));
            if one.is_same(&two) {
                wrong.push(format!("{frame}: {a}, {b}"));
            }
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
}
