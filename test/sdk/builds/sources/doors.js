/** Adds a button whose handler has no name, and returns what presses it. */
function button(listen) {
  const added = document.body.appendChild(document.createElement("button"));
  listen(added);
  return () => added.click();
}

let person = "";

const buttons = [
  button((door) =>
    door.addEventListener("click", () => {
      throw new Error(`${person} cannot open the door`);
    }),
  ),
  button((bell) =>
    bell.addEventListener("click", () => {
      throw new Error(`${person} rang in vain`);
    }),
  ),
  button((lock) => {
    // oxlint-disable-next-line unicorn/prefer-add-event-listener -- engines name its function after the property
    lock.onclick = () => {
      throw new Error(`${person} has no key`);
    };
  }),
];

/** Each handler throws for two people, which changes its text and not its fault. */
export const doors = ["Ann", "Bo"].flatMap((name) =>
  buttons.map((press) => [
    "doors",
    () => {
      person = name;
      press();
    },
  ]),
);
