import { describeAgreement } from "../support/differential/agree.ts";

describeAgreement(2, 52_000);
