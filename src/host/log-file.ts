import log from 'electron-log/node.js';
import type { Logger } from '../engine/base/ports.ts';

/** Bytes after which the log is renamed to `dailies.old.log` and a new one begins. */
const LOG_SIZE = 5 * 1000 ** 2;

export function createFileLogger(file: string, redact: (line: string) => string): Logger {
  const target = log.create({ logId: file });
  for (const logger of [log, target]) {
    logger.transports.console.level = false;
    // A log that cannot be written is no reason to cover the terminal with it.
    logger.transports.console.writeFn = () => undefined;
  }
  const transport = target.transports.file;
  // Without a name, it would look for a package.json above the working folder and fail silently.
  transport.setAppName('dailies');
  transport.resolvePathFn = () => file;
  transport.level = 'debug';
  transport.maxSize = LOG_SIZE;
  transport.writeOptions = { flag: 'a', mode: 0o600, encoding: 'utf8' };
  const lineFor = (message: string, facts: Record<string, unknown> | undefined) =>
    redact(facts === undefined ? message : `${message} ${JSON.stringify(facts, readable)}`);
  return {
    debug: (message, facts) => target.debug(lineFor(message, facts)),
    info: (message, facts) => target.info(lineFor(message, facts)),
    warn: (message, facts) => target.warn(lineFor(message, facts)),
    error: (message, facts) => target.error(lineFor(message, facts)),
  };
}

/** Errors have no own properties that JSON would see, and bigints no JSON at all. */
function readable(_name: string, value: unknown): unknown {
  if (value instanceof Error) return value.stack ?? value.message;
  return typeof value === 'bigint' ? String(value) : value;
}
