//! Sentences that a new model translates, so that everybody sees at once if it writes the right script.

/// Three sentences by language.
const SENTENCES: [(&str, [&str; 3]); 24] = [
    (
        "ar",
        [
            "البيت أحمر.",
            "نفتح الأبواب في التاسعة صباحا.",
            "اقرأ هذه الصفحة قبل أن تكتب إلينا.",
        ],
    ),
    (
        "bg",
        [
            "Къщата е червена.",
            "Отваряме в девет сутринта.",
            "Прочетете тази страница, преди да ни пишете.",
        ],
    ),
    (
        "ca",
        [
            "La casa és vermella.",
            "Obrim a les nou del matí.",
            "Llegiu aquesta pàgina abans d'escriure'ns.",
        ],
    ),
    (
        "cs",
        [
            "Ten dům je červený.",
            "Otevíráme v devět hodin ráno.",
            "Než nám napíšete, přečtěte si tuto stránku.",
        ],
    ),
    (
        "da",
        [
            "Huset er rødt.",
            "Vi åbner klokken ni om morgenen.",
            "Læs denne side, før du skriver til os.",
        ],
    ),
    (
        "de",
        [
            "Das Haus ist rot.",
            "Wir öffnen um neun Uhr morgens.",
            "Lesen Sie diese Seite, bevor Sie uns schreiben.",
        ],
    ),
    (
        "el",
        [
            "Το σπίτι είναι κόκκινο.",
            "Ανοίγουμε στις εννέα το πρωί.",
            "Διαβάστε τη σελίδα πριν μας γράψετε.",
        ],
    ),
    (
        "en",
        [
            "The house is red.",
            "We open the doors at nine in the morning.",
            "Read this page before you write to us.",
        ],
    ),
    (
        "es",
        [
            "La casa es roja.",
            "Abrimos a las nueve de la mañana.",
            "Lea esta página antes de escribirnos.",
        ],
    ),
    (
        "fi",
        [
            "Talo on punainen.",
            "Avaamme yhdeksältä aamulla.",
            "Lue tämä sivu ennen kuin kirjoitat meille.",
        ],
    ),
    (
        "fr",
        [
            "La maison est rouge.",
            "Nous ouvrons à neuf heures du matin.",
            "Lisez cette page avant de nous écrire.",
        ],
    ),
    (
        "he",
        [
            "הבית אדום.",
            "אנחנו פותחים בתשע בבוקר.",
            "קראו את הדף הזה לפני שתכתבו לנו.",
        ],
    ),
    (
        "hu",
        [
            "A ház piros.",
            "Reggel kilenckor nyitunk.",
            "Olvassa el ezt az oldalt, mielőtt ír nekünk.",
        ],
    ),
    (
        "it",
        [
            "La casa è rossa.",
            "Apriamo alle nove del mattino.",
            "Leggi questa pagina prima di scriverci.",
        ],
    ),
    (
        "ja",
        [
            "その家は赤いです。",
            "朝九時に開店します。",
            "連絡する前にこのページを読んでください。",
        ],
    ),
    (
        "ko",
        [
            "그 집은 빨간색입니다.",
            "우리는 아침 아홉 시에 문을 엽니다.",
            "연락하기 전에 이 페이지를 읽어 주세요.",
        ],
    ),
    (
        "nl",
        [
            "Het huis is rood.",
            "We openen om negen uur 's ochtends.",
            "Lees deze pagina voordat u ons schrijft.",
        ],
    ),
    (
        "pl",
        [
            "Dom jest czerwony.",
            "Otwieramy o dziewiątej rano.",
            "Przeczytaj tę stronę, zanim do nas napiszesz.",
        ],
    ),
    (
        "pt",
        [
            "A casa é vermelha.",
            "Abrimos às nove da manhã.",
            "Leia esta página antes de nos escrever.",
        ],
    ),
    (
        "ru",
        [
            "Дом красный.",
            "Мы открываемся в девять утра.",
            "Прочитайте эту страницу, прежде чем писать нам.",
        ],
    ),
    (
        "sv",
        [
            "Huset är rött.",
            "Vi öppnar klockan nio på morgonen.",
            "Läs den här sidan innan du skriver till oss.",
        ],
    ),
    (
        "tr",
        [
            "Ev kırmızı.",
            "Sabah dokuzda açıyoruz.",
            "Bize yazmadan önce bu sayfayı okuyun.",
        ],
    ),
    (
        "uk",
        [
            "Будинок червоний.",
            "Ми відчиняємо о дев'ятій ранку.",
            "Прочитайте цю сторінку, перш ніж писати нам.",
        ],
    ),
    (
        "zh",
        [
            "房子是红色的。",
            "我们早上九点开门。",
            "请在写信给我们之前阅读此页面。",
        ],
    ),
];

/// Three sentences in a language; none for languages without, of which the model is only loaded.
pub(super) fn in_language(language: &str) -> &'static [&'static str] {
    let found = SENTENCES.iter().find(|(known, _)| *known == language);
    found.map_or(&[], |(_, sentences)| sentences)
}
