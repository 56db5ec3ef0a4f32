import type { Library } from '../engine/library/library-api.ts';
import type { ExitStatus } from './exit.ts';
import { serviceAccess } from './service-access.ts';
import type { Session } from './session.ts';
import { withEngine } from './with-engine.ts';

/** Works with the library of the account that address and key name. Throws UsageError when one of them is missing. */
export async function inLibrary(
  session: Session,
  command: string,
  work: (library: Library) => ExitStatus | Promise<ExitStatus>,
): Promise<ExitStatus> {
  const access = await serviceAccess(session);
  return withEngine(session, { ...access, command }, (engine) => work(engine.library));
}
