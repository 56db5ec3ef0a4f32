/** Begins the drive, and ends with it when it fails: the app itself goes on after what nothing foresaw. */
import('./drive.ts').catch((error: unknown) => {
  process.stderr.write(`${error instanceof Error ? (error.stack ?? error.message) : String(error)}\n`);
  process.exit(1);
});
