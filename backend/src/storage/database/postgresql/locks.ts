/** "FLTN" and a number: Faultline's advisory locks, which all programs on a database share by number. */
export const locks = { migrations: 0x464c544e_01, changes: 0x464c544e_02 };
