import tls from 'node:tls';

/**
 * Trusts whom the system trusts besides those whom Node knows: a studio's own authority, say. The app's package takes no
 * `NODE_OPTIONS`, and with it no `NODE_EXTRA_CA_CERTS`. Where the system's cannot be read, Node's own stay.
 */
export function trustSystem(node: Pick<typeof tls, 'getCACertificates' | 'setDefaultCACertificates'> = tls): void {
  try {
    const known = new Set(node.getCACertificates('default'));
    const more = node.getCACertificates('system').filter((certificate) => !known.has(certificate));
    if (more.length > 0) node.setDefaultCACertificates([...known, ...more]);
  } catch {
    // A connection that needs one of them says that its authority is not trusted, and sends nothing.
  }
}
