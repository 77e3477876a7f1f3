# Doors to the commands; each works without just too.

build:
    cargo build --release --locked

test:
    tests/run

serve config="fixtures/sites/bakery":
    cargo run --release --locked -- serve --build -c {{config}}

bench:
    cargo bench --workspace --locked

ci:
    .ci/run
