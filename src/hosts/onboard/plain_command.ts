/** Words that every shell and every configuration takes as they are. */
export const PLAIN_COMMAND = /^[A-Za-z0-9@+=:,._/][A-Za-z0-9@+=:,._/-]*(?: [A-Za-z0-9@+=:,._/-]+)*$/;
