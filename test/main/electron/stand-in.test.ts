import * as electron from 'electron';
import { MessageChannelMain } from 'electron';
import { setImmediate } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';

describe('the stand-in of electron', () => {
  it('fails when it is asked for what nobody stands in for', () => {
    expect(() => electron.app.getGPUInfo('basic')).toThrow('no app.getGPUInfo');
    expect(() => electron.session.fromPartition('x').clearCache()).toThrow('no Session.clearCache');
    expect(() => electron.app.on('gpu-info-update', () => undefined)).toThrow('no event gpu-info-update of app');
    expect(Object.keys(electron)).not.toContain('desktopCapturer');
  });

  it('has ports that wait to be started, as those of Electron do', async () => {
    const { port1, port2 } = new MessageChannelMain();
    const heard: unknown[] = [];
    port2.on('message', ({ data }) => heard.push(data));
    port1.postMessage('early');
    await setImmediate();
    expect(heard).toEqual([]);
    port2.start();
    await setImmediate();
    expect(heard).toEqual(['early']);
    port1.close();
  });
});
