import type { App, NativeImage, WebContents } from 'electron';

export interface DragOutParts {
  readonly app: Pick<App, 'getFileIcon'>;
  readonly contents: () => Pick<WebContents, 'startDrag'> | null;
  /** Shown where the system has no icon for a file; a Mac does not take an empty one. */
  readonly plainIcon: () => NativeImage;
}

/** Goes on with a drag that the person has begun in the window, with the files themselves. */
export async function dragOut({ app, contents, plainIcon }: DragOutParts, paths: readonly string[]): Promise<void> {
  const [file] = paths;
  if (file === undefined) return;
  const ofSystem = await app.getFileIcon(file).catch(() => null);
  const icon = ofSystem === null || ofSystem.isEmpty() ? plainIcon() : ofSystem;
  contents()?.startDrag({ file, files: [...paths], icon });
}
