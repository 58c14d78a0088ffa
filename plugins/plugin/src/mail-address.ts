const atom = "[A-Za-z0-9!#$%&'*+/=?^_`{|}~-]+";
const label = "[A-Za-z0-9](?:[A-Za-z0-9-]{0,61}[A-Za-z0-9])?";
const form = new RegExp(`^(?=.{1,64}@)${atom}(?:\\.${atom})*@${label}(?:\\.${label})*$`);

/**
 * Whether mail may be sent to the text: one address of dot-atoms (RFC 5321, 4.1.2) with at most 254 characters of ASCII. Quoted
 * names, literal addresses, lists, comments and line breaks are none.
 */
export const isMailAddress = (text: string): boolean => text.length <= 254 && form.test(text);
