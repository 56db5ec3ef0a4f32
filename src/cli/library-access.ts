import type { LibraryAtWork } from './engine/engine-at-work.ts';
import { WayToEngine } from './engine/way-to-engine.ts';
import type { ExitStatus } from './exit.ts';
import { serviceAccess } from './service-access.ts';
import type { Session } from './session.ts';

/** Works with the library of the account that address and key name. Throws UsageError when one of them is missing. */
export async function inLibrary(
  session: Session,
  command: string,
  work: (library: LibraryAtWork) => Promise<ExitStatus>,
): Promise<ExitStatus> {
  const way = await WayToEngine.find(session, { command, sends: true, own: () => serviceAccess(session) });
  return way.use((engine) => work(engine.library));
}
