import { processSurroundings } from '../host/process-surroundings.ts';
import { hostEngine, type ParentPort } from './engine-host.ts';

/** Electron's own types would bring electron into a process that does not have it. */
const { parentPort } = process as NodeJS.Process & { readonly parentPort: ParentPort };

hostEngine(parentPort, processSurroundings(), () => process.exit());
