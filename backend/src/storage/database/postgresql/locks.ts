/** "FLTN" and a number: Faultline's locks among those that programs agree on by number. */
export const locks = { migrations: 0x464c544e_01, changes: 0x464c544e_02 };
