import { useState } from "react";

interface TillProps {
  readonly open: boolean;
}

/** A button that throws when it is pressed while the till is closed. */
export function Till({ open }: TillProps) {
  const [paid, setPaid] = useState<readonly string[]>([]);
  function pay(): void {
    if (!open) throw new Error("the till is closed"); // thrown: react
    setPaid([...paid, "paid"]);
  }
  return (
    <section>
      <button id="pay" onClick={pay}>
        Pay
      </button>
      {paid.map((text, place) => (
        <p key={place}>{text}</p>
      ))}
    </section>
  );
}
