// An island that starts when it comes into view.
import { useEffect, useState } from "react";

export default function Shelf() {
  const [isOpen, setOpen] = useState(false);
  useEffect(() => setOpen(true), []);
  return (
    <aside style={{ minHeight: "6rem" }}>
      <p>
        Yesterday's bread costs <b>half</b>.
      </p>
      {isOpen && <p>The shelf of yesterday is open.</p>}
    </aside>
  );
}
