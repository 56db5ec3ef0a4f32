import { Socket } from 'node:net';
import type { Settings } from '../../contract/settings.ts';
import { isLocalHost } from '../../engine/api/address.ts';
import type { Note } from './words.ts';

type MailSettings = Settings['messages']['mail'];

/**
 * Sends one message by mail. Password and text go unencrypted only to this machine and private networks. Connects
 * directly, also where there is a proxy. Throws when the server does not accept it.
 */
export async function sendMail(
  { host, port, secure, user, from, to }: MailSettings,
  { title, text, at }: Note,
  { id, password, signal }: { readonly id: string; readonly password: string | null; readonly signal: AbortSignal },
): Promise<void> {
  const { createTransport } = await import('nodemailer');
  const isPrivate = isLocalHost(host);
  // A socket of ours, since nodemailer has no way to give one up.
  const socket = new Socket();
  const transport = createTransport({
    host,
    port,
    secure,
    socket,
    requireTLS: !secure && !isPrivate,
    // Servers of a studio sign for themselves.
    tls: { rejectUnauthorized: !isPrivate },
    disableFileAccess: true,
    disableUrlAccess: true,
    ...(user !== '' && { auth: { user, pass: password ?? '' } }),
  });
  const { promise: stopped, reject } = Promise.withResolvers<never>();
  const stop = (): void => {
    socket.destroy();
    reject(signal.reason as Error);
  };
  signal.addEventListener('abort', stop, { once: true });
  try {
    signal.throwIfAborted();
    const mail = {
      from: from === '' ? user : from,
      to,
      subject: `Dailies: ${title}`,
      text,
      date: new Date(at),
      messageId: `<${id}@dailies.invalid>`,
      headers: { 'Auto-Submitted': 'auto-generated' },
    };
    await Promise.race([transport.sendMail(mail), stopped]);
  } finally {
    signal.removeEventListener('abort', stop);
    socket.destroy();
  }
}
