//! All cases of an operation. Those of one that is about a hold or a booking share a show, in which each has seats of its
//! own: it is reconciled once after all of them. One that is about a whole show gets a show for each case.

use std::fmt;
use std::sync::Arc;

use holdfast_tests::invariants::assert_agreement;
use holdfast_tests::steps::{Lose, Step, Then};

use super::TABLE;
use super::case::{Case, Follows, assert_complete, assert_nothing_repaired, on_lanes};
use super::lane::{Lane, Stores};
use super::operation::Operation;
use super::scenes::Scene;

const LOSSES: [Lose; 2] = [Lose::Request, Lose::Reply];

/// Records the steps of an operation, compares them with the table, and fails each of them in every way.
pub async fn every_step(operation: Operation) {
    let stores = Stores::open(operation).await;
    let (_, steps) = TABLE.into_iter().find(|(other, _)| *other == operation).unwrap();
    let recorded = recorded(&stores, operation).await;
    let recorded: Vec<(&str, usize)> = recorded.iter().map(|(name, count)| (name.as_str(), *count)).collect();
    assert_eq!(recorded, steps, "the steps of {operation:?}, as they were recorded, and in the table");

    let tried = |name: &str| operation == Operation::Schedule && is_a_step_of(Operation::Reconcile, name);
    let steps = recorded.iter().filter(|(name, _)| !tried(name));
    let chosen: Vec<Step> = steps.flat_map(|(name, count)| chosen(name, *count)).collect();
    let cases = |follows: &[Follows]| -> Vec<Case> {
        let losses = LOSSES.iter().flat_map(|lose| follows.iter().map(|follows| (*lose, *follows)));
        let of = |(lose, follows): (Lose, Follows)| {
            // Before and after a read there is the same in the stores: of those who die there, one is enough.
            let same = follows != Follows::ItsOwnRepeat && lose == Lose::Request;
            let steps = chosen.iter().filter(move |step| !(same && is_a_read(&step.name)));
            steps.map(move |step| Case { operation, steps: vec![step.clone()], lose, follows }).collect::<Vec<_>>()
        };
        losses.flat_map(of).collect()
    };
    if !operation.is_about_a_show() {
        let killed = cases(&[Follows::TheCallersRepeat, Follows::Nobody]);
        return in_one_show(&stores, cases(&[Follows::ItsOwnRepeat]), killed).await;
    }
    // Each call is lost once, and repeated, in one run.
    let repeated = LOSSES.map(|lose| {
        let steps = chosen.iter().map(|step| behind_its_repeats(step, &chosen)).collect();
        Case { operation, steps, lose, follows: Follows::ItsOwnRepeat }
    });
    // Who comes again after a reconcile is the next reconcile.
    let followers: &[Follows] = match operation {
        Operation::Reconcile | Operation::Schedule => &[Follows::Nobody],
        _ => &[Follows::TheCallersRepeat, Follows::Nobody],
    };
    on_lanes(&stores, [repeated.to_vec(), cases(followers)].concat(), |lane, case| async move {
        in_its_own_show(&lane, &case).await;
    })
    .await;
}

/// The calls that are failed of a step that is made so often: all of a few; of many the first, one in the middle and the
/// last. The others are the same call about another shard.
fn chosen(name: &str, count: usize) -> Vec<Step> {
    let of = |nth| Step { name: name.to_owned(), nth };
    if count <= 3 { (1..=count).map(of).collect() } else { [1, count.div_ceil(2), count].map(of).into() }
}

/// Whether a step only reads.
fn is_a_read(name: &str) -> bool {
    const READS: [&str; 6] = ["hold_status", "survey", "pinned", "compare", "scan", "read_events"];
    name.starts_with("GetItem") || name.starts_with("Query") || READS.contains(&name)
}

fn is_a_step_of(operation: Operation, name: &str) -> bool {
    TABLE.iter().any(|(other, steps)| *other == operation && steps.iter().any(|(step, _)| *step == name))
}

/// Where a step comes if the earlier ones of its name were lost before, and repeated.
fn behind_its_repeats(step: &Step, chosen: &[Step]) -> Step {
    let earlier = chosen.iter().filter(|other| other.name == step.name && other.nth < step.nth).count();
    Step { nth: step.nth + earlier, ..step.clone() }
}

/// Runs the operation as it should be, and answers its steps.
async fn recorded(stores: &Arc<Stores>, operation: Operation) -> Vec<(String, usize)> {
    let (lane, plain) = (Lane::open(stores).await, &stores.plain);
    let scene = operation.prepare(plain, &operation.define(plain, 1).await, 0).await;
    let process = lane.process(&[], Then::Recovers);
    lane.steps.record();
    let answer = operation.act(&process, &scene).await;
    let recorded = lane.steps.recorded();
    operation.assert_success(&scene, &answer);
    assert_agreement(plain, &scene.show).await;
    operation.judge(plain, &scene, None).await;
    recorded
}

#[derive(Clone)]
struct Staged(Arc<(Case, Scene)>);

impl fmt::Display for Staged {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.0.fmt(f)
    }
}

async fn in_one_show(stores: &Arc<Stores>, repeated: Vec<Case>, killed: Vec<Case>) {
    let (plain, operation) = (&stores.plain, repeated[0].operation);
    let show = operation.define(plain, repeated.len() + killed.len()).await;
    let mut stage = Vec::new();
    let count = repeated.len();
    for (index, case) in repeated.into_iter().chain(killed).enumerate() {
        stage.push(Staged(Arc::new((case, operation.prepare(plain, &show, index).await))));
    }
    let run = |lane: Arc<Lane>, Staged(staged): Staged| async move {
        let (case, scene) = &*staged;
        case.run(&lane, scene).await;
        case.come_again(&lane.stores, scene).await;
    };
    // What was repeated is as if nothing had been.
    on_lanes(stores, stage[..count].to_vec(), run).await;
    assert_agreement(plain, &show).await;
    assert_nothing_repaired(&stores.reconcile(operation, &show).await);
    // What was killed is put right by one run, and the next one finds nothing.
    on_lanes(stores, stage[count..].to_vec(), run).await;
    assert_complete(&stores.reconcile(operation, &show).await);
    assert_agreement(plain, &show).await;
    assert_nothing_repaired(&stores.reconcile(operation, &show).await);
    on_lanes(stores, stage, |lane, Staged(staged)| async move {
        let (case, scene) = &*staged;
        case.operation.judge(&lane.stores.plain, scene, Some(case)).await;
    })
    .await;
}

async fn in_its_own_show(lane: &Lane, case: &Case) {
    let of_its_own = match case.operation {
        // A run over all shows meets those of other cases.
        Operation::Schedule => Some(Lane::open(&Stores::open(case.operation).await).await),
        _ => None,
    };
    let lane = of_its_own.as_ref().unwrap_or(lane);
    let (stores, plain, operation) = (&lane.stores, &lane.stores.plain, case.operation);
    let scene = operation.prepare(plain, &operation.define(plain, 1).await, 0).await;
    case.run(lane, &scene).await;
    if case.follows == Follows::ItsOwnRepeat {
        assert_agreement(plain, &scene.show).await;
    } else {
        operation.let_time_pass(plain, &scene).await;
        case.come_again(stores, &scene).await;
        assert_complete(&stores.reconcile(operation, &scene.show).await);
        assert_agreement(plain, &scene.show).await;
    }
    assert_nothing_repaired(&stores.reconcile(operation, &scene.show).await);
    operation.judge(plain, &scene, Some(case)).await;
}
