//! Tables of engines, and the names by which sites and the command line choose them.
//!
//! One file: one table of the configuration, key by key.

use std::collections::BTreeMap;

use super::*;
use crate::engines::{ApiKey, HttpService, KeyHeader, Secret, TokenPrice, TokenUsage, services};

#[test]
fn engines_are_known_by_name() {
    check(
        "engine = \"apertum\"\n",
        1,
        10,
        "there is no engine `apertum`; the nearest is `apertium`",
    );
    check(
        "engine = []\n",
        1,
        10,
        "`engine` must be the name of an engine, or several in a list",
    );
    check(
        "[engine.x]\nkind = \"comand\"\n",
        2,
        8,
        "there is no engine kind `comand`; the nearest is `command`",
    );
    check(
        "[engine.x]\nkind = \"command\"\n",
        1,
        1,
        "[engine.…] has no `program`; add the program to start, such as program = \"./translate.py\"",
    );
    check(
        "[engine.x]\nkind = \"fx\"\nargs = []\n",
        3,
        8,
        "`args` means nothing to an engine of kind `fx`; remove it",
    );
    check(
        "engine = \"command\"\n",
        1,
        10,
        "`command` needs a table: add [engine.NAME] with kind = \"command\" and program = \"…\", and write NAME here",
    );
}

#[test]
fn services_have_addresses_keys_and_options() {
    let engine = |name: &str, table: &str, environment: &[(&str, &str)]| {
        let text = format!("{SITE}engine = {name:?}\n[engine.{name}]\n{table}\n");
        parse(&text, environment)
            .unwrap()
            .sites
            .remove(0)
            .engines
            .remove(0)
    };
    let service = |url: Option<&str>, key: ApiKey, allow_private: bool| {
        let url = url.map(|url| Url::parse(url).unwrap());
        HttpService {
            url,
            key,
            allow_private,
            options: BTreeMap::new(),
            settings: Default::default(),
        }
    };
    let spec = |kind: &str, service: HttpService, options: &[(&'static str, &str)]| {
        let options = options
            .iter()
            .map(|(name, value)| (*name, (*value).to_owned()))
            .collect();
        EngineSpec::Service(
            services().find(|known| known.name == kind).unwrap(),
            HttpService { options, ..service },
        )
    };
    let file = |name: &str| ApiKey::File(Path::new("/etc/latimer").join(name));
    let unset = |name: &str| ApiKey::Unset(format!("LATIMER_ENGINE_{name}_KEY"));

    let keys = "kind = \"deepl\"\nkey_file = \"d.key\"\nformality = \"prefer_less\"\nglossary_id = \"g\"\n";
    let deepl = engine("my-deepl", &format!("{keys}price_per_million = 20"), &[]);
    let options = [("formality", "prefer_less"), ("glossary_id", "g")];
    assert_eq!(
        deepl.spec,
        spec("deepl", service(None, file("d.key"), false), &options)
    );
    assert_eq!(
        (deepl.name.as_str(), deepl.price_per_million),
        ("my-deepl", Some(20.0))
    );

    let set = engine(
        "my-deepl",
        keys,
        &[("LATIMER_ENGINE_MY_DEEPL_KEY", "hush\n")],
    );
    let EngineSpec::Service(_, HttpService { key, .. }) = &set.spec else {
        panic!("{set:?}")
    };
    assert_eq!(*key, ApiKey::Text(Secret::new("hush")));
    assert!(!format!("{set:?}").contains("hush"));

    let local = "url = \"http://127.0.0.1:5000\"\nallow_private = true";
    let there = |name| service(Some("http://127.0.0.1:5000"), unset(name), true);
    for (kind, more, expected) in [
        (
            "libretranslate",
            "",
            spec("libretranslate", there("E"), &[]),
        ),
        ("apertium_apy", "", spec("apertium_apy", there("E"), &[])),
        ("google", "", spec("google", there("E"), &[])),
        (
            "azure",
            "region = \"r\"",
            spec("azure", there("E"), &[("region", "r")]),
        ),
        (
            "openai",
            "model = \"m\"",
            spec("openai", there("E"), &[("model", "m")]),
        ),
    ] {
        let found = engine("e", &format!("kind = {kind:?}\n{local}\n{more}"), &[]);
        assert_eq!(
            (found.spec, found.price_per_million),
            (expected, None),
            "{kind}"
        );
    }
    assert_eq!(
        engine("f", "kind = \"fx\"\nprice_per_million = 0.5", &[]).price_per_million,
        Some(0.5)
    );
}

#[test]
fn requests_to_models_have_settings_r_l16_r_l17() {
    let table = "kind = \"openai\"\nurl = \"https://m.example/v1\"\nmodel = \"m\"\n";
    let read = |more: &str| {
        let text = format!("{SITE}engine = \"e\"\n[engine.e]\n{table}{more}\n");
        parse(&text, &[]).map(|mut config| config.sites.remove(0).engines.remove(0).spec)
    };
    let keys = "timeout = \"2min\"\nparallel = 2\nbatch = 5\nquery = \"?api-version=1\"\nauth = \"api-key\"\nheaders_file = \"h\"\n\
        params = { temperature = false, top_p = 0.5, seed = 7, stop = [\"a\"], r = { effort = \"low\" } }";
    let EngineSpec::Service(_, HttpService { settings, .. }) = read(keys).unwrap() else {
        panic!()
    };
    assert_eq!(
        (
            settings.timeout.unwrap().as_secs(),
            settings.parallel,
            settings.batch
        ),
        (120, Some(2), Some(5))
    );
    assert_eq!(
        (settings.query.as_deref(), settings.auth),
        (Some("api-version=1"), KeyHeader::ApiKey)
    );
    assert_eq!(settings.headers_file, Some("/etc/latimer/h".into()));
    let params = serde_json::json!({ "temperature": false, "top_p": 0.5, "seed": 7, "stop": ["a"], "r": { "effort": "low" } });
    assert_eq!(serde_json::Value::Object(settings.params), params);
    for (wrong, said) in [
        ("timeout = \"2h\"", "at most 1h"),
        ("batch = 0", "`batch` must be"),
        ("auth = \"basic\"", "`auth` must be"),
        (
            "params = { messages = [] }",
            "`messages` is Latimer's to say",
        ),
        (
            "params = { day = 2024-01-01 }",
            "`params` must be a table of",
        ),
        ("query = \"a b\"", "`query` must be"),
    ] {
        let error = read(wrong).unwrap_err().to_string();
        assert!(error.contains(said), "{wrong}: {error}");
    }
}

#[test]
fn engines_of_models_have_prices_per_token_r_l20() {
    let table = "kind = \"openai\"\nurl = \"https://m.example/v1\"\nmodel = \"m\"\n";
    let read = |more: &str| {
        let text = format!("{SITE}engine = \"e\"\n[engine.e]\n{table}{more}\n");
        parse(&text, &[]).map(|mut config| config.sites.remove(0).engines.remove(0))
    };
    let priced = read("price = { input = 0.4, output = 2, cached = 0.1 }").unwrap();
    assert_eq!(
        priced.token_price,
        Some(TokenPrice {
            input: 0.4,
            output: 2.0,
            cached: 0.1
        })
    );
    let tokens = TokenUsage {
        input: 2_000_000,
        output: 1_000_000,
        cached: 1_000_000,
        requests: 1,
        characters: 5,
    };
    assert_eq!(priced.price_of(5, &tokens), Some(0.4 + 0.1 + 2.0));
    assert_eq!(priced.price_of(5, &TokenUsage::default()), None);
    let uncached = read("price = { input = 1, output = 2 }").unwrap();
    assert_eq!(
        uncached.token_price,
        Some(TokenPrice {
            input: 1.0,
            output: 2.0,
            cached: 1.0
        })
    );
    assert_eq!(
        read("price_per_million = 10")
            .unwrap()
            .price_of(200_000, &tokens),
        Some(2.0)
    );
    assert_eq!(read("").unwrap().price_of(5, &tokens), None);
    for (wrong, said) in [
        ("price = 0.4", "`price` must be a table"),
        (
            "price = { input = 0.4 }",
            "`price` has no `output`; add the price of a million tokens of answers",
        ),
        ("price = { output = 0.4 }", "`price` has no `input`"),
        (
            "price = { input = -1, output = 1 }",
            "`input` must be a number, 0 or more",
        ),
        (
            "price = { input = 1, output = \"2\" }",
            "`output` must be a number, 0 or more",
        ),
        (
            "price = { input = 1, output = 2, cache = 1 }",
            "unknown key `cache` in `price`; the nearest known key is `cached`",
        ),
        (
            "price_per_million = 1\nprice = { input = 1, output = 2 }",
            "two prices for the same texts",
        ),
    ] {
        let error = read(wrong).unwrap_err().to_string();
        assert!(error.contains(said), "{wrong}: {error}");
    }
    let deepl = format!(
        "{SITE}engine = \"e\"\n[engine.e]\nkind = \"deepl\"\nprice = {{ input = 1, output = 2 }}\n"
    );
    let error = parse(&deepl, &[]).unwrap_err().to_string();
    assert!(
        error.contains("an engine of kind `deepl` counts none; write price_per_million"),
        "{error}"
    );
}

#[test]
fn context_is_a_setting_of_some_kinds_r_l19() {
    let without = |kind: &str, more: &str| {
        let text = format!(
            "{SITE}engine = \"e\"\n[engine.e]\nkind = {kind:?}\nurl = \"https://m.example/v1\"\n{more}\n"
        );
        let spec =
            parse(&text, &[]).map(|mut config| config.sites.remove(0).engines.remove(0).spec);
        spec.map(|spec| {
            if let EngineSpec::Service(_, service) = spec {
                service.settings.without_context
            } else {
                panic!()
            }
        })
    };
    assert!(!without("openai", "model = \"m\"").unwrap());
    assert!(without("openai", "model = \"m\"\ncontext = false").unwrap());
    assert!(without("deepl", "context = false").unwrap());
    let error = without("google", "context = false")
        .unwrap_err()
        .to_string();
    assert!(
        error.contains("`context` means nothing to an engine of kind `google`"),
        "{error}"
    );
    let error = without("deepl", "context = \"no\"")
        .unwrap_err()
        .to_string();
    assert!(error.contains("`context` must be"), "{error}");
}

/// The engine of a site by kind, at an address, with further keys.
fn engine(kind: &str, more: &str) -> Result<EngineSpec, ConfigError> {
    let table = format!("kind = {kind:?}\nurl = \"https://m.example/v1\"\n{more}\n");
    let text = format!("{SITE}engine = \"e\"\n[engine.e]\n{table}");
    parse(&text, &[]).map(|mut config| config.sites.remove(0).engines.remove(0).spec)
}

#[test]
fn models_get_up_to_five_examples_r_l25() {
    for (more, expected) in [("model = \"m\"", 0), ("model = \"m\"\nexamples = 5", 5)] {
        let Ok(EngineSpec::Service(_, service)) = engine("openai", more) else {
            panic!("{more}")
        };
        assert_eq!(service.settings.examples, expected, "{more}");
    }
    let error = engine("openai", "model = \"m\"\nexamples = 6")
        .unwrap_err()
        .to_string();
    assert!(
        error.contains("`examples` must be a whole number from 0 to 5"),
        "{error}"
    );
    let error = engine("deepl", "examples = 2").unwrap_err().to_string();
    assert!(
        error.contains("`examples` means nothing to an engine of kind `deepl`"),
        "{error}"
    );
}

#[test]
fn engine_tables_in_the_documentation_parse_r_l17() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../docs/engines");
    let mut read = 0;
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        let text = std::fs::read_to_string(&path).unwrap();
        let mut table = String::new();
        for block in text
            .split("```toml\n")
            .skip(1)
            .filter_map(|rest| rest.split("```").next())
        {
            // Later blocks of a page add keys to its table.
            let whole = match block.find("[engine.") {
                Some(at) => {
                    block[at..].clone_into(&mut table);
                    table.clone()
                }
                None => format!("{table}{block}"),
            };
            let name = whole.split(['.', ']']).nth(1).unwrap();
            let parsed = parse(&format!("{SITE}engine = {name:?}\n{whole}"), &[]);
            assert!(
                parsed.is_ok(),
                "{}: {}\n{whole}",
                path.display(),
                parsed.unwrap_err()
            );
            read += 1;
        }
    }
    assert!(read > 10, "{read} tables");
}

#[test]
fn languages_have_engines_and_instructions_of_their_own_r_l18() {
    let text = format!(
        "{SITE}engine = [\"llm\", \"apertium\"]\ninstructions = \"Be brief.\"\n[site.locale.fr]\nengine = \"llm\"\n\
         instructions = \"Say vous.\"\n[engine.llm]\nkind = \"openai\"\nurl = \"https://m.example/v1\"\nmodel = \"m\"\n"
    );
    let text = text.replace("[\"es\", \"en-XA\"]", "[\"es\", \"fr\"]");
    let site = parse(&text, &[]).unwrap().sites.remove(0);
    let engines = |tag: &str| {
        let told = |engine: NamedEngine| match engine.spec {
            EngineSpec::Service(_, service) => format!(
                "{}: {}",
                engine.name,
                service.settings.instructions.unwrap()
            ),
            _ => engine.name,
        };
        site.engines_for(&Locale::parse(tag).unwrap())
            .into_iter()
            .map(told)
            .collect::<Vec<_>>()
    };
    assert_eq!(engines("es"), ["llm: Be brief.", "apertium"]);
    assert_eq!(engines("fr"), ["llm: Be brief.\nSay vous."]);
    assert_eq!(site.all_engines().count(), 3);
}

#[test]
fn what_is_wrong_with_a_service_is_said() {
    let address = "`url` must be an https:// address without query or fragment (http:// only with allow_private = true)";
    for (table, line, column, message) in [
        (
            "kind = \"openai\"\nmodel = \"m\"",
            1,
            1,
            "[engine.…] has no `url`; add the server's address, such as url = \"https://api.openai.com/v1\"",
        ),
        (
            "kind = \"openai\"\nurl = \"https://a.example/v1\"",
            1,
            1,
            "[engine.…] has no `model`; add the model to ask, such as model = \"gpt-4.1-mini\"",
        ),
        (
            "kind = \"libretranslate\"\nurl = \"http://a.example\"",
            3,
            7,
            address,
        ),
        (
            "kind = \"libretranslate\"\nurl = \"https://a.example/?key=x\"",
            3,
            7,
            address,
        ),
        (
            "kind = \"google\"\nregion = \"x\"",
            3,
            10,
            "`region` means nothing to an engine of kind `google`; remove it",
        ),
        (
            "kind = \"deepl\"\nformality = \"polite\"",
            3,
            13,
            "`formality` must be \"more\" or \"less\" or \"prefer_more\" or \"prefer_less\"",
        ),
        (
            "kind = \"deepl\"\nprice_per_million = -1",
            3,
            21,
            "`price_per_million` must be a number, 0 or more",
        ),
        (
            "kind = \"deepel\"",
            2,
            8,
            "there is no engine kind `deepel`; the nearest is `deepl`",
        ),
        (
            "kind = \"deepl\"\nkeyfile = \"x\"",
            3,
            1,
            "unknown key `keyfile` in [engine.…]; the nearest known key is `key_file`",
        ),
    ] {
        check(&format!("[engine.x]\n{table}\n"), line, column, message);
    }
    check(
        "engine = \"deepl\"\n",
        1,
        10,
        "`deepl` needs a table: add [engine.NAME] with kind = \"deepl\" and key_file = \"…\", and write NAME here",
    );
}

#[test]
fn the_engine_option_is_a_kind_or_a_command() {
    let models = Path::new("m");
    assert_eq!(engine_from_option("pseudo", models), Ok(EngineSpec::Pseudo));
    assert_eq!(
        engine_from_option("fx", models),
        Ok(EngineSpec::Fx { models: "m".into() })
    );
    let command = EngineSpec::Command {
        program: "tr".to_owned(),
        arguments: vec!["a".to_owned(), "b".to_owned()],
        variables: Vec::new(),
    };
    assert_eq!(engine_from_option("command:tr a  b", models), Ok(command));
    for wrong in ["", "command:", "deepl", "fxx"] {
        assert!(engine_from_option(wrong, models).is_err(), "{wrong:?}");
    }
}

#[test]
fn a_pivot_is_two_engines_and_a_language_between() {
    let site = "[[site]]\nid = \"s\"\nsource = \"x\"\nsource_locale = \"en\"\nlocales = [\"es\"]\nengine = \"both\"\n";
    let both = "[engine.both]\nkind = \"pivot\"\nvia = \"pt\"\nengines = [\"fx\", \"mine\"]\n";
    let mine = "[engine.mine]\nkind = \"command\"\nprogram = \"tr\"\n";
    let config = Config::parse(
        &format!("{site}{both}{mine}"),
        "/etc/latimer/latimer.toml".as_ref(),
        &|_| None,
    )
    .unwrap();
    let EngineSpec::Pivot { first, via, second } = &config.sites[0].engines[0].spec else {
        panic!("no pivot")
    };
    assert!(
        matches!(**first, EngineSpec::Fx { .. }) && matches!(**second, EngineSpec::Command { .. })
    );
    assert_eq!(via.as_str(), "pt");
    let pivot = |rest: &str| format!("[engine.p]\nkind = \"pivot\"\n{rest}");
    check(
        &pivot("via = \"pt\"\nengines = [\"fx\"]\n"),
        4,
        11,
        "`engines` must be two engines: the one that translates first, and the other",
    );
    check(
        &pivot("via = \"pt\"\nengines = [\"fx\", \"p\"]\n"),
        4,
        18,
        "there is no engine `p` to go through; the nearest is `fx`",
    );
}
