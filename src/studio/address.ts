/** Where the database of a studio is. It never holds a password. */
export interface StudioAddress {
  /** A host name, or the folder of a socket. */
  readonly host: string;
  readonly port: number;
  readonly database: string;
  readonly user: string;
  /** Null on this machine: a socket or its loopback. Else the certificate is checked against the host's name. */
  readonly tls: { readonly authorityFile: string | null } | null;
  /** For people, and to tell studios apart. */
  readonly text: string;
}

/** The address in a URL, and the password where one is in it. Throws StudioError. */
export function parseStudioUrl(_url: string): { readonly address: StudioAddress; readonly password: string | null } {
  throw new Error('not built yet');
}
