import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { packageFolder, resourcesFolder } from '../../src/host/package-folder.ts';

describe('files that come with the program', () => {
  it('lie in its own folder', () => {
    expect(resourcesFolder()).toBe(join(packageFolder(), 'resources'));
    expect(resourcesFolder('/opt/Dailies/resources/app.asar.unpacked/cli')).toBe(
      join('/opt/Dailies/resources/app.asar.unpacked/cli', 'resources'),
    );
  });

  it('lie beside the archive when its own folder is one', () => {
    expect(resourcesFolder('/opt/Dailies/resources/app.asar')).toBe(
      join('/opt/Dailies/resources/app.asar.unpacked', 'resources'),
    );
  });
});
