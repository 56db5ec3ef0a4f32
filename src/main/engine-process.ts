import { processEnvironment } from '../host/process-environment.ts';
import { startReadersWith } from '../engine/base/reader-process.ts';
import { hostEngine, readersOfMain, trustSystem, usePortableSharp, type ParentPort } from './engine-host.ts';

/**
 * The process the engine works in. Each of its durable steps is a sync of the disk that blocks its thread: in main, that
 * would hold up input, menus and everything the window loads. It has no electron but for this one port.
 */
usePortableSharp();
const { parentPort } = process as NodeJS.Process & { readonly parentPort: ParentPort };

trustSystem();
startReadersWith(readersOfMain(parentPort));
const host = hostEngine(parentPort, processEnvironment(), (status) => process.exit(status));

// Ctrl+C in a terminal and a logout reach both this process and main. The first to arrive drains the engine.
process.on('SIGINT', host.stop);
process.on('SIGTERM', host.stop);
process.on('uncaughtException', host.fail);
process.on('unhandledRejection', host.fail);
