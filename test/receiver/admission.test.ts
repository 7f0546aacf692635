import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { seconds, type UnixNano, unixNano } from "../../src/model/time.ts";
import { type Admission, createAdmission, type Lease } from "../../src/receiver/admission.ts";
import fc from "../support/properties.ts";

function admissionAt(
  clock: { now: UnixNano },
  overrides: Partial<Parameters<typeof createAdmission>[0]> = {},
): Admission {
  return createAdmission({
    maxInFlightBytes: 100,
    maxWaitingSpans: 10,
    waitingSpans: () => 0,
    now: () => clock.now,
    ...overrides,
  });
}

function leaseOf(admission: Admission): Lease {
  const entry = admission.enter();
  assert.ok("lease" in entry);
  return entry.lease;
}

const at = (second: number): UnixNano => unixNano(seconds(second) as bigint);

describe("admission: bytes in flight", () => {
  it("OTLP-25: lends up to the budget, refuses past it, and lends again once room is back", () => {
    const admission = admissionAt({ now: at(0) });
    const [a, b] = [leaseOf(admission), leaseOf(admission)];

    assert.equal(a.grow(60), null);
    assert.equal(b.grow(40), null);
    assert.equal(b.grow(1)?.retryAfterSeconds, 5);
    a.release();
    assert.equal(b.grow(60), null);
    assert.equal(admission.inFlightBytes, 100);
  });

  it("never refuses a request that is alone, since it would come back for ever", () => {
    const admission = admissionAt({ now: at(0) });
    const lease = leaseOf(admission);

    assert.equal(lease.grow(90), null);
    assert.equal(lease.grow(90), null);
    assert.notEqual(leaseOf(admission).grow(1), null);
  });

  it("gives a lease back once, however often it is released, and lets it grow no more", () => {
    const admission = admissionAt({ now: at(0) });
    const lease = leaseOf(admission);
    lease.grow(10);
    lease.release();
    lease.release();

    assert.equal(admission.inFlightBytes, 0);
    assert.throws(() => lease.grow(1), /released/);
  });

  it("holds its sum and its bound in any order of asking and giving back", () => {
    const asks = fc.array(fc.record({ who: fc.nat(4), bytes: fc.nat(60), release: fc.boolean() }));

    fc.assert(
      fc.property(asks, (steps) => {
        const admission = admissionAt({ now: at(0) });
        const held = new Map<number, { lease: Lease; bytes: number }>();
        for (const { who, bytes, release } of steps) {
          const mine = held.get(who) ?? { lease: leaseOf(admission), bytes: 0 };
          held.set(who, mine);
          const others = [...held.values()].reduce((sum, { bytes: theirs }) => sum + theirs, 0) - mine.bytes;
          if (mine.lease.grow(bytes) === null) {
            mine.bytes += bytes;
            assert.ok(others === 0 || others + mine.bytes <= 100, "over the budget, and not alone");
          } else {
            assert.ok(others + mine.bytes + bytes > 100, "refused although there was room");
          }
          if (release) {
            mine.lease.release();
            held.delete(who);
          }
          const total = [...held.values()].reduce((sum, { bytes: theirs }) => sum + theirs, 0);
          assert.equal(admission.inFlightBytes, total);
        }
      }),
    );
  });
});

describe("admission: what waits, and draining", () => {
  for (const { name, waiting, drain, want } of [
    { name: "lets in below the bound", waiting: 9, drain: false, want: null },
    { name: "refuses at the bound", waiting: 10, drain: false, want: /queue is full/ },
    { name: "refuses above the bound", waiting: 11, drain: false, want: /queue is full/ },
    { name: "refuses while draining", waiting: 0, drain: true, want: /shutting down/ },
  ]) {
    it(`OTLP-25, OTLP-26: ${name}`, () => {
      const admission = admissionAt({ now: at(0) }, { waitingSpans: () => waiting });
      if (drain) admission.drain();
      const entry = admission.enter();

      if (want === null) assert.ok("lease" in entry);
      else assert.match("refusal" in entry ? entry.refusal.reason : "", want);
      assert.equal(admission.draining, drain);
    });
  }

  for (const { asked, want } of [
    { asked: 0, want: 1 },
    { asked: -3, want: 1 },
    { asked: 0.2, want: 1 },
    { asked: 1, want: 1 },
    { asked: 7.01, want: 8 },
    { asked: Number.NaN, want: 5 },
    { asked: Number.POSITIVE_INFINITY, want: 5 },
    { asked: undefined, want: 5 },
  ]) {
    it(`OTLP-25: asked to wait ${asked}, says ${want} s: whole, and at least 1`, () => {
      const admission = admissionAt({ now: at(0) });
      assert.equal(admission.refuse("full", asked).retryAfterSeconds, want);
    });
  }
});

describe("admission: deaf intervals", () => {
  it("has none while nothing is refused", () => {
    const admission = admissionAt({ now: at(0) });
    leaseOf(admission).grow(100);
    assert.equal(admission.takeDeaf(), null);
  });

  it("ends one Retry-After past the last refusal, and is handed out once", () => {
    const clock = { now: at(10) };
    const admission = admissionAt(clock);
    admission.refuse("full");
    clock.now = at(12);
    admission.refuse("full");
    clock.now = at(60);

    assert.deepEqual(admission.takeDeaf(), { from: at(10), until: at(17) });
    assert.equal(admission.takeDeaf(), null);
  });

  it("is handed out in pieces while it lasts", () => {
    const clock = { now: at(10) };
    const admission = admissionAt(clock);
    admission.refuse("full");
    assert.equal(admission.takeDeaf(), null, "no time has passed in it");
    clock.now = at(13);
    assert.deepEqual(admission.takeDeaf(), { from: at(10), until: at(13) });
    clock.now = at(20);
    assert.deepEqual(admission.takeDeaf(), { from: at(13), until: at(15) });
  });

  it("counts every way of refusing", () => {
    const ways: readonly ((admission: Admission) => void)[] = [
      (admission) => admission.refuse("the disk is full"),
      (admission) => {
        admission.drain();
        admission.enter();
      },
      (admission) => {
        leaseOf(admission).grow(100);
        leaseOf(admission).grow(1);
      },
    ];
    for (const refuse of ways) {
      const clock = { now: at(0) };
      const admission = admissionAt(clock);
      refuse(admission);
      clock.now = at(9);
      assert.deepEqual(admission.takeDeaf(), { from: at(0), until: at(5) });
    }
  });

  it("covers just the seconds within a Retry-After of a refusal, each once", () => {
    const steps = fc.array(fc.record({ pass: fc.nat(8), refuse: fc.boolean(), take: fc.boolean() }));

    fc.assert(
      fc.property(steps, (taken) => {
        const clock = { now: at(0) };
        const admission = admissionAt(clock);
        const wanted = new Set<number>();
        const covered: number[] = [];
        let second = 0;
        const cover = (): void => {
          const deaf = admission.takeDeaf();
          if (deaf === null) return;
          assert.ok(deaf.from < deaf.until);
          for (let s = Number(deaf.from / 1_000_000_000n); s < Number(deaf.until / 1_000_000_000n); s += 1) {
            covered.push(s);
          }
        };
        for (const { pass, refuse, take } of taken) {
          second += pass;
          clock.now = at(second);
          if (take) cover();
          if (!refuse) continue;
          admission.refuse("full");
          for (let s = second; s < second + 5; s += 1) wanted.add(s);
        }
        clock.now = at(second + 100);
        cover();

        assert.equal(new Set(covered).size, covered.length, "a second was handed out twice");
        assert.ok(
          [...wanted].every((s) => covered.includes(s)),
          "a deaf second is missing",
        );
      }),
    );
  });
});
