import type { Text } from '../../../src/contract/messages/message.ts';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import type { UploadTarget } from '../../../src/contract/asset.ts';
import type { DemoServiceOptions } from '../../support/demo/service.ts';
import { aPicture, PICTURE_NAME } from '../../support/billable-posts.ts';
import { World, type WorldOptions } from '../../support/world.ts';
import { shot } from '../db/seed.ts';
import { files, formOf, namedIn, starting, submitsOf, uploadsOf, strangeAsset, expectSaved } from './media.ts';

let world: World;
afterEach(() => world.close());

type Assumed = NonNullable<WorldOptions['settings']>['assumed'];

async function open(service: DemoServiceOptions = {}, assumed: Assumed = {}): Promise<void> {
  const fast = { submit: 1000, poll: 1000, download: 1000 };
  world = await World.open({ settings: { maxRate: fast, assumed }, service });
}

const groupsMade = () => world.service.ledger.posts('/v1/asset-groups');
const saidBeside = () => uploadsOf(world).map((entry) => Object.keys(formOf(entry).fields).sort());

describe('an id of an asset group', () => {
  it.each([
    ['with dashes', 'group_3f2504e0-4f89-11d3-9a0c-0305e82c3301'],
    ['with dots and slashes', 'group_eu.west/7'],
    ['in capitals', 'group_A1B2'],
    ['of another form altogether', '3f2504e0-4f89-11d3-9a0c-0305e82c3301'],
    ['that is a word', 'faces'],
  ])('%s is taken as the service lists it', async (_what, id) => {
    await open({ newGroupId: () => id });
    files(world, { 'a.png': 'a' });
    world.service.assets.createGroup({ name: 'Main cast', description: '', domain: 'media' });
    await world.run([starting(1, 'a.png', { group: id })]);
    expect(world.counts()).toMatchObject({ saved: 1 });
    expect(formOf(uploadsOf(world)[0]).fields.group_id).toBe(id);
    expect(groupsMade()).toEqual([]);
  });

  it('is asked for by itself, without the pages of all others', async () => {
    await open();
    files(world, { 'a.png': 'a' });
    const { id } = world.service.assets.createGroup({ name: 'Main cast', description: '', domain: 'media' });
    await world.run([starting(1, 'a.png', { group: id })]);
    expect(world.counts()).toMatchObject({ saved: 1 });
    const asked = world.service.ledger.entries.filter(({ path }) => path.startsWith('/v1/asset-groups'));
    expect(asked.map(({ method, path }) => `${method} ${path}`)).toEqual([`GET /v1/asset-groups/${id}`]);
  });

  it.each(['group_1f2e-3d4c', 'group_unknown', '3f2504e0-4f89-11d3-9a0c-0305e82c3301', '1f2e3d4c5b6a79880011'])(
    'that the service does not list becomes no group of that name: %s',
    async (id) => {
      await open();
      files(world, { 'a.png': 'a' });
      await world.run([starting(1, 'a.png', { group: id })]);
      expect(groupsMade()).toEqual([]);
      expect([uploadsOf(world), submitsOf(world)]).toEqual([[], []]);
      const { failure } = world.job('0001');
      expect([failure?.code, failure?.cost]).toEqual(['asset_group_not_found', 'nothing']);
      expect(failure?.message).saying(new RegExp(id));
    },
  );
});

describe('a form that brings a file', () => {
  it('says no more than the reference shows, and the group where one is named', async () => {
    await open();
    files(world, { 'a.png': 'a', 'b.png': 'b' });
    await world.run([starting(1, 'a.png'), starting(2, 'b.png', { group: 'Faces' })]);
    expect(world.counts()).toMatchObject({ saved: 2 });
    expect(saidBeside().toSorted()).toEqual([['group_id', 'type'], ['type']]);
  });

  it('says no role or mode that only a person or a picture to describe has named, but what a person chose', async () => {
    await open();
    files(world, { 'a.png': 'a', 'b.png': 'b', 'c.png': 'c', 'd.mp4': 'd' });
    await world.start();
    const upload = (name: string, target: UploadTarget) =>
      world.whilePumping(world.engine.library.upload([join(world.folder, name)], target));
    await upload('a.png', { role: 'first_frame' });
    await upload('b.png', { role: 'reference_image', model: 'vgen-2.0-nt' });
    await upload('c.png', { mode: 'oss' });
    await upload('d.mp4', { role: 'reference_video', model: 'vgen-2.0-cl' });
    expect(saidBeside()).toEqual([
      ['type'],
      ['model', 'type'],
      ['mode', 'type'],
      ['mode', 'model', 'purpose', 'role', 'type'],
    ]);
    const picture = join(world.folder, PICTURE_NAME);
    writeFileSync(picture, aPicture);
    const request = { picture: { path: picture }, describer: 'typo', isAgreed: false } as const;
    await world.whilePumping(world.engine.tools.describe(request));
    expect(saidBeside().at(-1)).toEqual(['type']);
  });

  it('says all there is, or only what is shown, where the settings say so', async () => {
    await open({}, { uploadForm: 'all' });
    files(world, { 'a.png': 'a', 'b.png': 'b' });
    await world.run([starting(1, 'a.png', { group: 'Faces' })]);
    await world.restart({ assumed: { uploadForm: 'shown' } });
    await world.run([starting(2, 'b.png', { group: 'Faces' })], { name: 'Day 2' });
    expect(saidBeside()).toEqual([['group_id', 'metadata', 'mode', 'model', 'role', 'type'], ['type']]);
  });

  it('is sent once more with what is shown alone when a service refuses the rest, and says less from then on', async () => {
    await open({ uploadForm: 'strict' });
    // The second is large enough to be hashed while it is sent.
    files(world, { 'a.png': 'a', 'b.png': Buffer.alloc(5_000_000, 'b'), 'walk.mp4': 'walk' });
    await world.run([starting(1, 'b.png', { group: 'Faces' })]);
    await world.run([starting(2, 'a.png', { group: 'Faces' }), shot(3, { params: { video: 'walk.mp4' } })], {
      name: 'Day 2',
    });
    expect(world.counts()).toMatchObject({ saved: 3 });
    expect(uploadsOf(world).map(({ status }) => status)).toEqual([400, 200, 200, 200]);
    expect(saidBeside().toSorted()).toEqual([['group_id', 'type'], ['purpose', 'type'], ['type'], ['type']]);
    const contents = world.engine.library.assets().map(({ local }) => local?.sha256);
    expect(new Set(contents).size).toBe(3);
  });

  it('that is refused for itself fails with the reason, and leaves the others their fields', async () => {
    await open();
    files(world, { 'bad.png': 'bad', 'good.png': 'good' });
    const refusal = { status: 400, body: { error: { message: 'The picture is too dark.', code: 'too_dark' } } };
    world.fault({ method: 'POST', path: '/v1/assets/uploads', times: 2 }, { fault: 'status', ...refusal });
    await world.run([starting(1, 'bad.png', { group: 'Faces' })]);
    await world.run([starting(2, 'good.png', { group: 'Faces' })], { name: 'Day 2' });
    expect(world.job('0001').failure?.message).saying(/too dark/);
    expect(saidBeside()).toEqual([['group_id', 'type'], ['type'], ['group_id', 'type']]);
  });

  it('whose group is ignored is known to lie elsewhere, and is found ready there', async () => {
    await open({ uploadForm: 'ignoring' });
    files(world, { 'a.png': 'a' });
    await world.run([starting(1, 'a.png', { group: 'Faces' }), starting(2, 'a.png', { group: 'Faces' })]);
    expectSaved(world, 2, 1);
    expect(world.engine.library.assets()).toMatchObject([{ groupId: 'group_default', wantedGroup: 'Faces' }]);
    expect(world.log.lines.filter((line) => line.includes('another asset group'))).toHaveLength(1);
  });
});

it('a reference video that the list names as an asset is not sent to a CL model when it was prepared for another', async () => {
  await open();
  files(world, { 'walk.mp4': 'walk' });
  await world.run([shot(1, { model: 'vgen-2.0-cl', params: { video: 'walk.mp4' } })]);
  const [prepared = ''] = submitsOf(world).flatMap(namedIn);
  await world.run(
    [
      shot(2, { model: 'vgen-2.0-cl-fast', params: { video: `Asset://${prepared}` } }),
      shot(3, { model: 'vgen-2.0-cl', params: { video: `Asset://${prepared}` } }),
      shot(4, { model: 'vgen-2.0-nt', params: { video: `Asset://${prepared}` } }),
    ],
    { name: 'Day 2' },
  );
  expect(world.job('0002')).toMatchObject({
    state: 'rejected',
    failure: {
      code: 'asset_of_another_model',
      cost: 'nothing',
      message: expect.saying(/prepared for vgen-2\.0-cl\./) as Text,
    },
  });
  expect(world.posts('0002')).toEqual([]);
  expect([world.job('0003').state, world.job('0004').state]).toEqual(['saved', 'saved']);
});

describe('a shot of the SG line', () => {
  const MODEL = 'vgen-2.0-sg';
  const avatar = (purpose: string | null) => strangeAsset(world, { purpose, syncMs: 60_000 });

  it('waits until its avatar is ready, and sends it as a bare id', async () => {
    await open({ speed: { assetMs: 60_000 } });
    const { id, createdAt } = avatar('digital_human_avatar');
    await world.run([shot(1, { model: MODEL, params: { avatar_asset_ids: [`Asset://${id}`] } })]);
    expect(world.job('0001').state).toBe('saved');
    expect(submitsOf(world)[0]?.body).toMatchObject({ avatar_asset_ids: [id] });
    expect(submitsOf(world)[0]?.at).toBeGreaterThanOrEqual(createdAt + 60_000);
  });

  it('sends its own images as assets, or all of them as addresses', async () => {
    await open();
    files(world, { 'a.png': 'a' });
    const address = 'https://media.example/a.png';
    await world.run([
      starting(1, 'a.png', { model: MODEL }),
      starting(2, address, { model: MODEL, params: { first_frame: address, image_source_mode: 'direct_url' } }),
    ]);
    expect(world.counts()).toMatchObject({ saved: 2 });
  });

  it.each([
    ['that does not exist', () => 'avatar_7', 'asset_not_found'],
    ['that was not prepared', () => avatar(null).id, 'avatar_not_prepared'],
  ])('fails at no charge when it names an avatar %s', async (_what, id, code) => {
    await open();
    await world.run([shot(1, { model: MODEL, params: { avatar_asset_ids: [id()] } })]);
    expect(world.job('0001')).toMatchObject({ state: 'rejected', failure: { cost: 'nothing' } });
    expect(JSON.stringify(world.job('0001').failure)).toContain(code);
  });
});
