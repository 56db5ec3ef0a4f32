import { describe, expect, it } from 'vitest';
import { Settings } from '../../../src/contract/settings.ts';
import type { ShotSpec } from '../../../src/contract/shot.ts';
import { contentHash, planImport } from '../../../src/engine/batches/plan-import.ts';
import { driverFor } from '../../../src/engine/kinds/index.ts';
import { check, told } from '../batches/support.ts';
import { contextOf, shotOf } from './support.ts';

const OWN = 'https://studio.example/done?shot=1';
const USUAL = 'https://studio.example/done';

const sent = (shot: ShotSpec, settings: object = {}) =>
  driverFor(shot.kind).toRequest(shot, contextOf({}, settings)).body['callback_url'];

describe('a callback', () => {
  it.each([
    ['video', {}],
    ['video', { videoRoute: 'compatible' }],
    ['music', {}],
  ] as const)('is asked for by %s where its row says, else where the settings say: %j', (kind, settings) => {
    const shot = shotOf({ kind });
    expect(sent(shot, settings)).toBeUndefined();
    expect(sent(shot, { ...settings, callbackUrl: USUAL })).toBe(USUAL);
    expect(sent({ ...shot, callbackUrl: OWN }, { ...settings, callbackUrl: USUAL })).toBe(OWN);
    expect(sent({ ...shot, extra: { callback_url: OWN } }, { ...settings, callbackUrl: USUAL })).toBe(OWN);
  });

  it('is called notifyHook by a job-style image', () => {
    const shot = shotOf({ kind: 'image', params: { operation: 'imagine' }, callbackUrl: OWN });
    const body = (changed: Partial<ShotSpec>) =>
      driverFor('image').toRequest({ ...shot, ...changed }, contextOf({}, { callbackUrl: USUAL })).body;
    expect(body({})).toMatchObject({ notifyHook: OWN });
    expect(body({})).not.toHaveProperty('callback_url');
    expect(body({ callbackUrl: undefined as never })).toMatchObject({ notifyHook: USUAL });
    expect(body({ extra: { notifyHook: 'https://other.example/' } })).toMatchObject({
      notifyHook: 'https://other.example/',
    });
  });

  it.each(['image', 'speech', 'presenter'] as const)('is no field of %s, which is sent without it', (kind) => {
    const context = contextOf({}, { callbackUrl: USUAL });
    const { body } = driverFor(kind).toRequest(shotOf({ kind, callbackUrl: OWN }), context);
    expect(JSON.stringify(body)).not.toContain('studio.example');
  });

  it('is read from its column, and warned of where the kind has no field for it', async () => {
    const rows = `1,video,vgen-2.0-nt,A,${OWN}\n2,speech,m,B,${OWN}\n3,video,vgen-2.0-nt,C,studio\n`;
    const { defects, shots } = await check(`shot,kind,model,prompt,callBackUrl\n${rows}`);
    expect(told(defects).filter((line) => line.includes('callBackUrl'))).toEqual([
      `warning 3/callBackUrl "${OWN}": Rows of the kind speech have no callBackUrl. This cell is not sent.`,
      'error 4/callBackUrl "studio": This is not a valid URL.',
    ]);
    expect(shots.filter(({ callbackUrl }) => callbackUrl === OWN).length).toBe(1);
  });

  it('is an error when a row sends it twice', async () => {
    const { defects } = await check(
      `shot,model,prompt,callback_url,param.callback_url\n1,vgen-2.0-nt,A,${OWN},${USUAL}\n`,
    );
    expect(told(defects)).toContain(`error 2/param.callback_url "${USUAL}": The row sends callback_url twice.`);
  });

  it('that changes makes no new take, and goes with takes that are yet to be sent', async () => {
    const before = shotOf({ kind: 'video', callbackUrl: USUAL });
    const after = { ...before, callbackUrl: OWN };
    expect(contentHash(after)).toBe(contentHash(before));
    const plan = await planImport([{ key: '001', spec: before }], [after]);
    expect([plan.added, plan.changed, plan.unchanged]).toEqual([[], [], [after]]);
  });

  it('goes to an http or https address alone', () => {
    expect(Settings.safeParse({ callbackUrl: 'file:///etc/passwd' }).success).toBe(false);
  });
});
