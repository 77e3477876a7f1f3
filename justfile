# Doors to the commands; each works without just too.

build:
    for site in fixtures/sites/*/; do cargo run --locked -- build -c "$site" || exit; done

test:
    tests/run

check:
    tests/run --quick

nightly:
    tests/run --nightly

serve config="fixtures/sites/bakery":
    cargo run --locked -- serve --build -c {{config}}

bench:
    cargo bench --workspace --locked

ci:
    .ci/run
