//! Right translations of facts, and wrong ones.

use super::*;

fn change(source: &str, target: &str, to: &str) -> Option<LostFact> {
    let languages = LanguagePair::of_tags("en", to);
    changed(source, target, languages.as_ref())
}

#[test]
fn right_translations_pass_r_v4() {
    for (source, target, to) in [
        (
            "3 billion people use the web.",
            "3000 millones de personas usan la web.",
            "es",
        ),
        (
            "The film made $1.2 billion.",
            "La película recaudó 1200 millones de dólares.",
            "es",
        ),
        (
            "The film made $1.2 billion.",
            "Le film a rapporté 1,2 milliard de dollars.",
            "fr",
        ),
        ("9 billion yuan so far.", "目前为止 90亿元。", "zh"),
        (
            "More than 2 million people trust us.",
            "200万人以上が信頼しています。",
            "ja",
        ),
        (
            "We open at 5:30 pm every day.",
            "毎日17時30分に開店します。",
            "ja",
        ),
        (
            "We open at 5:30 pm every day.",
            "Wir öffnen täglich um 17.30 Uhr.",
            "de",
        ),
        ("We open at 5:30 pm.", "Abrimos a las 5:30 p. m.", "es"),
        (
            "We open at 5:30 pm.",
            "Abrimos a las 5:30 de la tarde.",
            "es",
        ),
        ("Open from 9 am to 5 pm", "Geöffnet von 9 bis 17 Uhr", "de"),
        ("Open from 9 am to 5 pm", "9時から17時まで営業", "ja"),
        ("Open 10am–6pm", "Ouvert de 10 h à 18 h", "fr"),
        ("Open from 10:00 a.m.", "Aberto a partir das 10h", "pt"),
        ("It starts at 12 am", "Beginnt um 0 Uhr", "de"),
        ("Our twenty shops are open.", "20の店が開いています。", "ja"),
        (
            "Since May 3, 2021 we bake.",
            "2021年5月3日から焼いています。",
            "ja",
        ),
        (
            "Since May 3, 2021 we bake.",
            "Desde el 3 de mayo de 2021 horneamos.",
            "es",
        ),
        (
            "Since May 3, 2021 we bake.",
            "Мы печём с 3 мая 2021 года.",
            "ru",
        ),
        ("On 1 June", "Am ersten Juni", "de"),
        ("From 2026-05-03 on", "Ab dem 3. Mai 2026", "de"),
        (
            "The 1990s were good years.",
            "1990年代は良い年でした。",
            "ja",
        ),
        (
            "The 1990s were good years.",
            "Die 90er waren gute Jahre.",
            "de",
        ),
        ("in the 90s", "dans les années 1990", "fr"),
        ("A team of 1.5 thousand people.", "1500人のチーム。", "ja"),
        ("7 days", "sete dias", "pt"),
        ("7 days", "٧ أيام", "ar"),
        ("the first floor", "le 1er étage", "fr"),
        ("a million users", "100万ユーザー", "ja"),
        ("twenty-five seats", "25 plazas", "es"),
        ("Closed on Mondays", "Lundi fermé", "fr"),
        ("Closed on Mondays", "月曜定休", "ja"),
        ("Saturday and Sunday", "السبت والأحد", "ar"),
        ("Sat: 9:00 – 13:00", "Sa.: 9:00–13:00", "de"),
        (
            "It weighs 5 kg and costs $40.",
            "Pesa 5 kilogramos y cuesta 40 $.",
            "es",
        ),
        (
            "Videos on YouTube and WiFi",
            "فيديوهات على يوتيوب وواي فاي",
            "ar",
        ),
        ("Videos on YouTube", "Videoita YouTubessa", "fi"),
        ("An eBook over WiFi", "Un libro electrónico por wifi", "es"),
        (
            "Set read_timeout first",
            "read_timeoutを最初に設定します",
            "ja",
        ),
        ("It weighs 5 lbs", "Er wiegt 5 Pfund", "de"),
        ("A 12.5% rise over 1,500 km", "%12,5 artış 1.500 km", "tr"),
        (
            "A 12.5% rise over 1,500 km",
            "Un alza del 12,5\u{a0}% en 1500 km",
            "es",
        ),
        (
            "A 12.5% rise over 1,500 km",
            "Une hausse de 12,5\u{a0}% sur 1\u{202f}500 km",
            "fr",
        ),
        ("about 5 miles", "unas 5 millas", "es"),
        ("20°C in the shade", "20 °C à l'ombre", "fr"),
        (
            "It grows eleven miles away.",
            "18キロ離れたところで育ちます。",
            "ja",
        ),
        ("a 50-pound sack of flour", "23キロの小麦粉の袋", "ja"),
        ("rye, two pounds", "ライ麦、900グラム", "ja"),
        ("at 350 °F", "bei 175 °C", "de"),
        ("$26 an hour", "時給26ドル", "ja"),
        (
            "Port Linnet, ME 04099",
            "メイン州ポートリネット 04099",
            "ja",
        ),
        ("Ines, lighthouse keeper", "イネス（灯台守）", "ja"),
        ("The 20th century", "El siglo XX", "es"),
        ("The 21st century", "Le XXIe siècle", "fr"),
        ("1000 years", "mil años", "es"),
        ("at 10 Downing Street", "in der Downing Street 10", "de"),
        ("It costs $5k", "Kostet 5k $", "de"),
        ("≥ 5 days", "al menos 5 días", "es"),
        ("Welcome", "Bienvenido(a)", "es"),
        ("5% off", "5 Prozent Rabatt", "de"),
        ("Call +1 503 555 0142", "Llame al +1-503-555-0142", "es"),
        (
            "48 Bay View Street, Portland, OR 97201",
            "48 Bay View Street, Portland, OR 97201",
            "es",
        ),
        (
            "48 Bay View Street, Portland, OR 97201",
            "ポートランド、OR 97201、ベイビューストリート48番地",
            "ja",
        ),
        ("Python 3.11.5 is out", "Python 3.11.5 ist da", "de"),
        ("~1.5 hours", "aprox. 1,5 horas", "es"),
        ("costs 1,234.56 USD", "kostet 1.234,56 USD", "de"),
        ("An 18 × 18 in cloth", "Ein Tuch von 18 x 18 Zoll", "de"),
    ] {
        assert_eq!(change(source, target, to), None, "{source} / {target}");
    }
}

#[test]
fn wrong_facts_are_named_r_v5() {
    for (source, target, to, kind) in [
        ("Open at 10am", "Abierto a las 10soy", "es", ValueKind::Time),
        (
            "Open at 10 am",
            "Abierto a las 10 soy",
            "es",
            ValueKind::Time,
        ),
        ("Open at 10am", "Aberto às 10sou", "pt", ValueKind::Time),
        (
            "Open until 5 pm",
            "Abierto hasta las 5",
            "es",
            ValueKind::Time,
        ),
        (
            "Open until 5 pm",
            "Abierto hasta las 5 a. m.",
            "es",
            ValueKind::Time,
        ),
        (
            "Open until 5 pm",
            "Abierto hasta las 18 h",
            "es",
            ValueKind::Time,
        ),
        ("On March 5", "En Marcha 5", "es", ValueKind::Date),
        ("On March 5", "El 5 de mayo", "es", ValueKind::Date),
        ("On March 5", "El 6 de marzo", "es", ValueKind::Date),
        ("Sat: closed", "Sentado: cerrado", "es", ValueKind::Weekday),
        (
            "Closed on Mondays",
            "Cerrado los martes",
            "es",
            ValueKind::Weekday,
        ),
        (
            "48 Bay View Street",
            "48 Vista de Bahía Calle",
            "es",
            ValueKind::Street,
        ),
        ("Portland, OR", "Portland, O", "es", ValueKind::Postal),
        (
            "Call 503-555-0142",
            "Llame al 503-555-0143",
            "es",
            ValueKind::Phone,
        ),
        ("It costs $40", "Cuesta 40", "es", ValueKind::Price),
        ("It costs $40", "Cuesta $41", "es", ValueKind::Price),
        ("2 million people", "2 personas", "es", ValueKind::Scaled),
        (
            "2 million people",
            "dos mil personas",
            "es",
            ValueKind::Scaled,
        ),
        ("It costs $5k", "Cuesta $5", "es", ValueKind::Price),
        (
            "Closed on Tuesdays",
            "Die Bäckerei ist montags geschlossen",
            "de",
            ValueKind::Weekday,
        ),
        ("Closed on Mondays", "星期二休息", "zh", ValueKind::Weekday),
        (
            "A cloth of 18 in.",
            "Un paño de 18 en.",
            "es",
            ValueKind::Measure,
        ),
        (
            "An 18 cm cloth",
            "Un paño de 18 m",
            "es",
            ValueKind::Measure,
        ),
        ("Python 3.11.5", "Python 3.12.5", "es", ValueKind::Version),
        (
            "Item HL-1042-B",
            "Artículo HL-1042",
            "es",
            ValueKind::Article,
        ),
        (
            "Set read_timeout first",
            "Ponga leer_timeout primero",
            "es",
            ValueKind::Code,
        ),
        (
            "It calls os.path.join now",
            "Llama a os.camino.unir ahora",
            "es",
            ValueKind::Code,
        ),
        (
            "Use --dry-run here",
            "Use --prueba aquí",
            "es",
            ValueKind::Code,
        ),
        (
            "Run pip install first",
            "Ejecute pip instalar primero",
            "es",
            ValueKind::Code,
        ),
        (
            "Call getName() first",
            "Llame a obtenerNombre() primero",
            "es",
            ValueKind::Code,
        ),
        (
            "See src/lib/list.rs now",
            "Véase src/lib/lista.rs ahora",
            "es",
            ValueKind::Code,
        ),
        (
            "Use read_all now",
            "Use read_allo ahora",
            "es",
            ValueKind::Code,
        ),
        (
            "A new ArrayList is made",
            "Se crea una nueva ListaMatriz",
            "es",
            ValueKind::Code,
        ),
    ] {
        let found = change(source, target, to);
        let is_named = matches!(&found, Some(LostFact::Value(found, _)) if *found == kind);
        assert!(is_named, "{source} / {target}: {found:?}");
    }
    assert_eq!(
        change("~1.5 hours", "1.5 horas", "es"),
        Some(LostFact::Sign('~'))
    );
    assert_eq!(change("GitHub", "GitHub (o)", "es"), Some(LostFact::Aside));
    assert_eq!(
        change("In 7 of them", "En 8 de ellos", "es"),
        Some(LostFact::Number)
    );
    assert_eq!(
        change("no figure", "uma figura 1", "pt"),
        Some(LostFact::Number)
    );
}

/// Lines of `LATIMER_PAIRS` are a locale, an English text and what people made of it, with tabs between them.
#[test]
#[ignore = "needs LATIMER_PAIRS, texts that people translated"]
fn people_are_seldom_refused_r_v4() {
    let Ok(path) = std::env::var("LATIMER_PAIRS") else {
        return;
    };
    let pairs = std::fs::read_to_string(path).unwrap();
    let mut all = 0;
    let mut refused = Vec::new();
    for line in pairs.lines() {
        let fields: Vec<&str> = line.split('\t').collect();
        let [to, source, target] = fields[..] else {
            panic!("{line:?} has no three fields")
        };
        all += 1;
        refused.extend(
            change(source, target, to)
                .map(|change| format!("{to} {change:?}\n  {source}\n  {target}")),
        );
    }
    println!("{}\n{} of {all} refused", refused.join("\n"), refused.len());
    assert!(
        refused.len() * 100 <= all,
        "{} of {all} are refused",
        refused.len()
    );
}
