// The pages of every site whose pages are JSX. `Link` is the framework's own link component.

export const Nav = ({ Link }) => (
  <nav aria-label="Pages of the bakery">
    <Link to="/">Home</Link> <Link to="/menu">Menu</Link> <Link to="/guide/baking">Baking guide</Link>
  </nav>
);

export const Home = ({ Link, children }) => (
  <main>
    <h1>Bread from Tern Street</h1>
    <p>
      We bake <em>slowly</em> and sell <Link to="/menu">everything on the menu</Link> until the shelves are empty; our{" "}
      <Link to="/guide/baking">baking guide</Link> tells how you make it at home.
    </p>
    <p>
      <a id="jump" href="#order">
        Jump to the order form
      </a>
    </p>
    <h2 id="hours">Opening hours</h2>
    <ul>
      <li>Monday to Friday from seven until six</li>
      <li>Saturday from eight until noon</li>
      <li>Closed on Sundays and holidays</li>
    </ul>
    <h2 id="order">Order a loaf</h2>
    {children}
  </main>
);

export const Menu = ({ Link }) => (
  <main>
    <h1>What we sell today</h1>
    <p>
      All prices include a <strong>paper bag</strong>. Read{" "}
      <a id="jump" href="#cakes">
        what is sweet
      </a>{" "}
      or go <Link to="/">back to the start</Link>.
    </p>
    <h2 id="breads">Breads</h2>
    <ul>
      <li>Rye bread with caraway seeds</li>
      <li>White bread with a thin crust</li>
    </ul>
    <h2 id="cakes">Cakes</h2>
    <p>
      Plum cake is baked on <em>Fridays</em> only, and it is gone <em>before noon</em>.
    </p>
  </main>
);

export const Baking = ({ Link }) => (
  <main>
    <h1>How to bake at home</h1>
    <p>
      You need flour, water, salt and time. The <Link to="/menu">finished loaf</Link> costs less than your evening.
    </p>
    <p>
      <a id="jump" href="#oven">
        Straight to the oven
      </a>
    </p>
    <h2 id="dough">The dough</h2>
    <ol>
      <li>Mix flour and water and wait for an hour.</li>
      <li>Add the salt and fold the dough four times.</li>
    </ol>
    <h2 id="oven">The oven</h2>
    <p>Bake it hot for ten minutes and warm for thirty more.</p>
  </main>
);

export const Missing = ({ Link }) => (
  <main>
    <h1>We have no such page</h1>
    <p>
      Perhaps it was eaten. <Link to="/">Start again from the shop</Link>.
    </p>
  </main>
);
