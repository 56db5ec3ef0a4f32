import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { parseStudioUrl, tlsFor } from '../../src/studio/address.ts';
import { connectStudio, NOTHING_SEEN } from '../../src/studio/database.ts';
import { initStudio } from '../../src/studio/schema/migrate.ts';
import { textForLog } from '../../src/contract/messages/message-for.ts';
import { StudioError } from '../../src/studio/errors.ts';
import { MemoryLog } from '../support/memory-log.ts';
import { startPostgres } from '../support/postgres.ts';
import { ACCOUNT, batchOf, hasPostgres, newStudio, takesOf, type TestStudio } from '../support/studio.ts';

describe.runIf(hasPostgres)('rights in a studio', () => {
  let studio: TestStudio;
  beforeEach(async () => {
    studio = await newStudio();
  });
  afterEach(() => studio.close());

  it('let no machine write a table by hand, nor read a queue', async () => {
    const anna = await studio.machine('anna');
    await anna.enqueue(batchOf(), takesOf(1));
    const tables =
      await studio.query(`SELECT schemaname || '.' || tablename AS name, schemaname AS schema FROM pg_tables
      WHERE schemaname IN ('dailies', 'dailies_boss') ORDER BY 1`);
    expect(tables.length).toBeGreaterThan(20);
    for (const { name, schema } of tables as { name: string; schema: string }[]) {
      const [column] = await studio.query(
        `SELECT quote_ident(attname) AS name FROM pg_attribute WHERE attrelid = $1::regclass AND attnum > 0
          AND attidentity = '' AND NOT attisdropped LIMIT 1`,
        [name],
      );
      const writes = [
        `UPDATE ${name} SET ${String(column?.['name'])} = ${String(column?.['name'])}`,
        `DELETE FROM ${name}`,
        `INSERT INTO ${name} DEFAULT VALUES`,
        `TRUNCATE ${name}`,
        ...(schema === 'dailies_boss' ? [`SELECT * FROM ${name}`] : []),
      ];
      for (const text of writes) {
        await expect(studio.query(text, [], 'anna'), text).rejects.toMatchObject({ code: '42501' });
      }
    }
  });

  it('let no machine call what is behind the functions for machines, and no stranger anything', async () => {
    await studio.query('CREATE ROLE stranger LOGIN').catch(() => null);
    const functions = (await studio.query(
      `SELECT p.oid::regprocedure::text AS name, proname, proargtypes::regtype[]::text[] AS types,
        has_function_privilege('anna', p.oid, 'EXECUTE') AS anna, has_function_privilege('postgres', p.oid, 'EXECUTE') AS admin,
        has_function_privilege('stranger', p.oid, 'EXECUTE') AS stranger
      FROM pg_proc p WHERE pronamespace = 'dailies'::regnamespace`,
    )) as { proname: string; anna: boolean; stranger: boolean }[];
    const callable = functions.filter(({ anna }) => anna).map(({ proname }) => proname);
    expect(functions.filter(({ stranger }) => stranger)).toEqual([]);
    for (const forAdmins of ['set_budget', 'set_weight', 'set_rate', 'declare_dead', 'reconcile']) {
      expect(callable).not.toContain(forAdmins);
    }
    for (const inner of [
      'boss_fetch',
      'boss_insert',
      'boss_delete',
      'put_back',
      'close_attempt',
      'store_fact',
      'add_takes',
    ]) {
      expect(callable).not.toContain(inner);
    }
    await expect(studio.query(`SELECT dailies.hello(NULL, NULL, '{}')`, [], 'stranger')).rejects.toMatchObject({
      code: '42501',
    });
  });

  it('give budgets, weights and declarations to the admin alone', async () => {
    const anna = await studio.machine('anna');
    await anna.enqueue(batchOf(), takesOf(1));
    const refused = { code: 'studio_rights' };
    await expect(anna.setBudget({ scope: 'night' }, { takes: 5 })).rejects.toMatchObject(refused);
    await expect(anna.setWeight('anna', 100)).rejects.toMatchObject(refused);
    await expect(anna.declareDead("ben's")).rejects.toMatchObject(refused);
    await expect(anna.reconcile()).rejects.toMatchObject(refused);
    await expect(anna.setRate(ACCOUNT.name, { submits: 9, polls: 9, uploads: 9 })).rejects.toMatchObject(refused);
    await expect(studio.admin.setWeight('nobody', 1)).rejects.toMatchObject({ code: 'studio_unknown_person' });
    await expect(studio.admin.declareDead('none')).rejects.toMatchObject({ code: 'studio_unknown_machine' });
    await expect(studio.admin.setBudget({ scope: 'project', id: 'x' }, { takes: 1 })).rejects.toMatchObject({
      code: 'studio_unknown_project',
    });
  });

  it('let a person cancel and send again what is their own', async () => {
    const anna = await studio.machine('anna');
    const ben = await studio.machine('ben');
    const takes = takesOf(2);
    await anna.enqueue(batchOf(), takes);
    const ids = takes.map(({ id }) => id);
    expect(await ben.command(ids, { kind: 'cancel' })).toBe(0);
    expect(await anna.command(ids, { kind: 'cancel' })).toBe(2);
    expect((await studio.admin.status()).takes).toMatchObject({ cancelled: 2 });
    expect(await ben.takeNext(['nas'], [ACCOUNT], 2)).toEqual([]);
  });
});

describe.runIf(hasPostgres)('a studio of an administrator who may make roles and no more', () => {
  it('is made in a server without any, and is theirs', async () => {
    const server = await startPostgres();
    try {
      await server.query('postgres', 'CREATE ROLE host LOGIN CREATEROLE');
      await server.query('postgres', 'CREATE DATABASE film OWNER host');
      const address = { ...parseStudioUrl(server.url('film')).address, user: 'host' };
      const init = () => initStudio({ address, password: null, name: 'test' }, 'UTC');
      expect(await init()).toEqual({ before: null });
      // As roles are after a dump was loaded into a newer server.
      await server.query('postgres', 'REVOKE ADMIN OPTION FOR dailies_worker FROM host CASCADE');
      await server.query('postgres', 'GRANT dailies_worker TO dailies_admin');
      expect(await init()).toEqual({ before: 2 });
      const host = await connectStudio({
        ...{ address, password: null, machine: null },
        ...{ logger: new MemoryLog(), seen: NOTHING_SEEN },
      });
      await host.setBudget({ scope: 'night' }, { takes: 3 });
      expect(host.isAdmin).toBe(true);
      await host.close();
    } finally {
      await server.stop();
    }
  });
});

describe.runIf(hasPostgres)('the version of a studio', () => {
  let studio: TestStudio;
  beforeEach(async () => {
    studio = await newStudio();
  });
  afterEach(() => studio.close());
  const connect = () => studio.open('anna', null);
  const init = () => initStudio({ address: studio.addressFor('postgres'), password: null, name: 'test' }, 'UTC');

  it('is refused when newer, by each connection and by init', async () => {
    await studio.query('UPDATE dailies.version SET version = 99');
    await expect(connect()).rejects.toMatchObject({ code: 'studio_newer' });
    await expect(init()).rejects.toMatchObject({ code: 'studio_newer' });
    expect(await studio.query('SELECT version FROM dailies.version')).toEqual([{ version: 99 }]);
  });

  it('is refused when older until init, which keeps what is there', async () => {
    const anna = await studio.machine('anna');
    await anna.enqueue(batchOf(), takesOf(2));
    await studio.query('UPDATE dailies.version SET version = 0');
    await expect(connect()).rejects.toMatchObject({ code: 'studio_older' });
    expect(await init()).toEqual({ before: 0 });
    await anna.close();
    const again = await studio.open('anna', "anna's");
    expect(await again.takeNext(['nas'], [ACCOUNT], 5)).toHaveLength(2);
  });

  it('is missing where nobody made a studio', async () => {
    await expect(
      studio.open('anna', null, { address: { ...studio.addressFor('anna'), database: 'postgres' } }),
    ).rejects.toMatchObject({ code: 'studio_missing' });
  });

  it('takes the statements of the pg-boss that is installed, which hands out what pg-boss was given', async () => {
    const anna = await studio.machine('anna');
    const [first, second] = takesOf(2);
    await anna.enqueue(
      batchOf(),
      [first, second].flatMap((each) => each ?? []),
    );
    const { PgBoss } = await import('pg-boss');
    const { Client } = await import('pg');
    const { host, port, database } = studio.addressFor('postgres');
    const client = new Client({ host, port, database, user: 'postgres' });
    await client.connect();
    const boss = new PgBoss({
      schema: 'dailies_boss',
      supervise: false,
      schedule: false,
      db: {
        executeSql: async (text, values) => ({
          rows: [await client.query(text, values)].flat().flatMap(({ rows }) => rows as unknown[]),
        }),
      },
    });
    await boss.start();
    expect((await boss.findJobs('root.nas')).map(({ id }) => id).sort()).toEqual([first?.id, second?.id].sort());
    expect((await boss.fetch('root.nas')).map(({ id }) => id)).toEqual([first?.id]);
    await boss.deleteJob('root.nas', String(first?.id));
    await boss.stop({ graceful: false });
    await client.end();
    expect((await anna.takeNext(['nas'], [ACCOUNT], 5)).map(({ id }) => id)).toEqual([second?.id]);
  });
});

describe('the address of a studio', () => {
  it.each([
    ['postgres://anna@db.studio.test/film', 'db.studio.test', 5432],
    ['postgresql://anna:secret@db.studio.test:6000/film', 'db.studio.test', 6000],
    ['postgres://anna@/film?host=/var/run/postgresql', '/var/run/postgresql', 5432],
    ['postgres://anna@[::1]/film', '::1', 5432],
  ])('is read from %s, and told without a password', (url, host, port) => {
    const { address } = parseStudioUrl(url);
    expect(address).toMatchObject({ host, port, user: 'anna', database: 'film' });
    expect(JSON.stringify(address)).not.toContain('secret');
    expect(parseStudioUrl(address.text).address).toEqual(address);
  });

  it.each([
    'https://db/film',
    'postgres://db',
    'postgres:///film',
    'db/film',
    'postgres://anna@db/film?options=-csearch_path=x',
    'postgres://anna:hunter2@db/film?sslmode=',
  ])('is refused without being repeated: %s', (url) => {
    expect(() => parseStudioUrl(url)).toThrow(StudioError);
    expect(() => parseStudioUrl(url)).not.toThrow(/hunter2|anna/);
  });

  it('has the file of an authority by its whole path, as it is kept', () => {
    const { address } = parseStudioUrl('postgres://anna@db.studio.test/film?sslrootcert=tls/ca.crt', '/home/anna');
    expect(address.text).toBe('postgres://anna@db.studio.test/film?sslrootcert=/home/anna/tls/ca.crt');
    expect(parseStudioUrl(address.text, '/').address).toEqual(address);
  });

  it('is checked against its certificate everywhere but on this machine', () => {
    const tls = (url: string) => tlsFor(parseStudioUrl(url).address);
    expect(tls('postgres://a@db.test/film')).toMatchObject({ rejectUnauthorized: true });
    expect(tls('postgres://a@10.0.0.5/film')).toMatchObject({ rejectUnauthorized: true });
    expect(tls('postgres://a@127.0.0.1/film')).toBe(false);
    expect(tls('postgres://a@localhost/film?sslmode=disable')).toBe(false);
    expect(tls('postgres://a@/film?host=/run/postgresql')).toBe(false);
    for (const mode of ['disable', 'require', 'no-verify', 'prefer', 'verify-ca']) {
      expect(() => parseStudioUrl(`postgres://a@db.test/film?sslmode=${mode}`)).toThrow(
        expect.objectContaining({ code: 'studio_insecure' }),
      );
    }
    const folder = mkdtempSync(join(tmpdir(), 'ca-'));
    expect(() => tls(`postgres://a@db.test/film?sslrootcert=${join(folder, 'none.pem')}`)).toThrow(
      expect.objectContaining({ code: 'studio_authority' }),
    );
    rmSync(folder, { recursive: true });
    expect(tls(`postgres://a@db.test/film?sslrootcert=${import.meta.filename}`)).toMatchObject({
      ca: readFileSync(import.meta.filename, 'utf8'),
    });
  });
});

describe.runIf(hasPostgres)('a password', () => {
  it('is in no error and no line of the log, whether it is right or wrong', async () => {
    const studio = await newStudio();
    const password = 'c0rrect-horse';
    await studio.query(`ALTER ROLE cleo PASSWORD '${password}'`);
    const { port } = studio.addressFor('cleo');
    const logger = new MemoryLog();
    const address = parseStudioUrl(`postgres://cleo@127.0.0.1:${port}/${studio.database}`).address;
    const connect = (given: string) =>
      connectStudio({ address, password: given, machine: null, logger, seen: NOTHING_SEEN });
    const open = await connect(password);
    await open.close();
    const error = (await connect(`${password}!`).catch((reason: unknown) => reason)) as StudioError;
    expect(error.code).toBe('studio_login');
    const cause = error.cause as Error;
    const said = [error.stack, textForLog(error.text), textForLog(error.remedy), cause.stack, JSON.stringify(cause)];
    expect([...said, ...logger.lines].join('\n')).not.toContain(password);
    await studio.close();
  });
});
