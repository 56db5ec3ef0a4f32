import { exitStatus } from './exit.ts';
import { runCli, reportError } from './main.ts';
import { processShell } from './process-shell.ts';

const TIMEOUT_MS = 2000;

const shell = processShell();
process.on('uncaughtException', (error) => {
  void reportError(error, shell, process.argv.slice(2)).finally(() => process.exit(exitStatus.internalError));
});

process.exitCode = await runCli(process.argv.slice(2), shell);
// A person who asked to stop does not wait for an answer that nobody reads.
if (process.exitCode === exitStatus.interrupted) process.exit();
// Everything of value is on disk now, so nothing that still keeps the process running is worth waiting for.
setTimeout(() => process.exit(), TIMEOUT_MS).unref();
