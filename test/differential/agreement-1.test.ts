import { describeAgreement } from "../support/differential/agree.ts";

describeAgreement(1, 52_000);
