/** UTF-16 units of an identifier that names a function. Nobody writes longer ones, and each function that one names has it in its name. */
export const longestIdentifier = 256;
