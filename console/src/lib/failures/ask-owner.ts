const named = 3;

/** The people to ask for a greater role: `Ask an owner: Ann, Bob.` */
export function askOwner(owners: readonly string[]): string {
  if (owners.length === 0) return "Ask an administrator.";
  const others = owners.length - named;
  return `Ask an owner: ${owners.slice(0, named).join(", ")}${others > 0 ? ` and ${others} more` : ""}.`;
}
