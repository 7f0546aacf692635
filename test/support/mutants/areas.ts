/**
 * What is changed, and which tests have to notice: the quick ones of its folder. The exhaustive and differential
 * tests would notice more, but each mutant that survives meets all that are named here.
 */
export interface Area {
  readonly name: string;
  readonly sources: readonly string[];
  readonly tests: readonly string[];
}

export const areas: readonly Area[] = [
  {
    name: "kernels",
    sources: ["src/rules/judge.ts", "src/rules/kernels/*.ts"],
    tests: ["test/rules/kernels/*.test.ts", "test/rules/judge/{cases,judge,rule}.test.ts"],
  },
  {
    name: "match",
    sources: ["src/rules/{comparison,match,read,truth,value-test,values}.ts"],
    tests: ["test/rules/match/*.test.ts", "test/rules/judge/{cases,judge}.test.ts"],
  },
  {
    name: "compile",
    sources: ["src/rules/sugar/*.ts"],
    tests: [
      "test/rules/programs/*.test.ts",
      "test/rules/{bad,causal,compile,explain,ledger,lint,load,kernel-errors,rule-errors,sugar-errors}.test.ts",
      "test/rules/judge/cases.test.ts",
    ],
  },
  {
    name: "order",
    sources: ["src/processor/order/*.ts"],
    tests: ["test/processor/order/*.test.ts", "test/rules/kernels/oracle.test.ts"],
  },
];
