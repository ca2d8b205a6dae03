//! Passwords: hashed off the async threads, few at a time, and in the same time for users that do not exist.

use std::fmt;
use std::str::FromStr;
use std::sync::Arc;
use std::thread;

use argon2::password_hash::phc;
use argon2::password_hash::{PasswordHasher, PasswordVerifier};
use argon2::{Algorithm, Argon2, Params, Version};
use aws_lc_rs::digest;
use secrecy::{ExposeSecret, SecretString};
use tokio::sync::{OwnedSemaphorePermit, Semaphore, oneshot};

/// Nobody types more; longer ones are refused before any work is done for them.
pub(crate) const LONGEST: usize = 1024;

/// Logins that wait at once: some ten seconds of hashing, well within the time that a request has.
const LONGEST_QUEUE: usize = 128;

/// What bcrypt reads of a password.
const BCRYPT_READS: usize = 71;

/// Hashes nothing: what unknown users are compared with while no user is known.
const NOBODY: &str = "$argon2id$v=19$m=19456,t=2,p=1$AAAAAAAAAAAAAAAAAAAAAA$AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA";

#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum PasswordProblem {
    #[error("is not a password hash; make one with `quillgate hash-password`")]
    Form,
    #[error("is a bcrypt hash of cost {0}; use a cost from 4 to 15, or make one with `quillgate hash-password`")]
    BcryptCost(u32),
    #[error("is an argon2id hash that takes too much to check; make one with `quillgate hash-password`")]
    Argon2Cost,
    #[error("the password is longer than 1024 bytes")]
    TooLong,
    #[error("the password could not be hashed")]
    Hashing,
}

/// A stored hash that is known to be one we can check in bounded time.
#[derive(Clone, PartialEq, Eq)]
pub struct PasswordHash(Kind);

#[derive(Clone, PartialEq, Eq)]
enum Kind {
    Argon2(String),
    Bcrypt { text: String, cost: u32 },
}

impl PasswordHash {
    pub fn parse(text: &str) -> Result<PasswordHash, PasswordProblem> {
        let text = text.trim();
        if text.starts_with("$argon2id$") {
            return parse_argon2(text);
        }
        if !["$2a$", "$2b$", "$2y$"].iter().any(|version| text.starts_with(version)) {
            return Err(PasswordProblem::Form);
        }
        let cost = bcrypt::HashParts::from_str(text).map_err(|_| PasswordProblem::Form)?.get_cost();
        if !(4..=15).contains(&cost) {
            return Err(PasswordProblem::BcryptCost(cost));
        }
        Ok(PasswordHash(Kind::Bcrypt { text: text.to_owned(), cost }))
    }

    /// Should the operator be told to hash it anew?
    pub fn is_weak(&self) -> bool {
        matches!(self.0, Kind::Bcrypt { cost: ..10, .. })
    }

    /// Changes when the password does, and tells nothing of it.
    pub fn mark(&self) -> String {
        let mut context = digest::Context::new(&digest::SHA256);
        context.update(b"quillgate password mark\0");
        context.update(self.text().as_bytes());
        context.finish().as_ref()[..8].iter().map(|byte| format!("{byte:02x}")).collect()
    }

    fn text(&self) -> &str {
        match &self.0 {
            Kind::Argon2(text) | Kind::Bcrypt { text, .. } => text,
        }
    }

    fn verify(&self, password: &[u8]) -> bool {
        match &self.0 {
            Kind::Argon2(text) => Argon2::default().verify_password(password, text.as_str()).is_ok(),
            // What bcrypt would cut off is refused, but not sooner than anything else.
            Kind::Bcrypt { text, .. } if password.len() > BCRYPT_READS => {
                let _ = bcrypt::non_truncating_verify(&password[..BCRYPT_READS], text);
                false
            }
            Kind::Bcrypt { text, .. } => bcrypt::non_truncating_verify(password, text).unwrap_or(false),
        }
    }
}

/// Says which kind it is, never the hash.
impl fmt::Debug for PasswordHash {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(match self.0 {
            Kind::Argon2(_) => "PasswordHash(argon2id)",
            Kind::Bcrypt { .. } => "PasswordHash(bcrypt)",
        })
    }
}

fn parse_argon2(text: &str) -> Result<PasswordHash, PasswordProblem> {
    let hash = phc::PasswordHash::new(text).map_err(|_| PasswordProblem::Form)?;
    let params = Params::try_from(&hash).map_err(|_| PasswordProblem::Form)?;
    if hash.salt.is_none() || hash.hash.is_none() {
        return Err(PasswordProblem::Form);
    }
    if params.m_cost() > 256 * 1024 || params.t_cost() > 16 || params.p_cost() > 16 {
        return Err(PasswordProblem::Argon2Cost);
    }
    Ok(PasswordHash(Kind::Argon2(text.to_owned())))
}

/// Where hashing is done: so many at a time, the rest wait their turn.
#[derive(Clone, Debug)]
pub struct Hashing {
    turns: Arc<Semaphore>,
    /// Places in the queue for a turn.
    queue: Arc<Semaphore>,
    nobody: PasswordHash,
}

impl Default for Hashing {
    fn default() -> Self {
        Hashing::new(std::thread::available_parallelism().map_or(1, usize::from))
    }
}

impl Hashing {
    pub fn new(at_once: usize) -> Hashing {
        let nobody = PasswordHash(Kind::Argon2(NOBODY.to_owned()));
        Hashing { turns: Arc::new(Semaphore::new(at_once.max(1))), queue: Arc::new(Semaphore::new(LONGEST_QUEUE)), nobody }
    }

    /// A place in the queue, unless it is so long that whoever stands at its end had better come back later.
    pub(crate) fn line_up(&self) -> Option<OwnedSemaphorePermit> {
        Arc::clone(&self.queue).try_acquire_owned().ok()
    }

    /// Unknown users take the time that this user takes.
    pub fn resembling(self, user: &PasswordHash) -> Hashing {
        Hashing { nobody: user.clone(), ..self }
    }

    /// Is it the user's password? Never for a user without hash, but that takes as long to say.
    pub async fn verify(&self, user: Option<&PasswordHash>, password: &SecretString) -> bool {
        if password.expose_secret().len() > LONGEST {
            return false;
        }
        let (hash, is_known, password) = (user.unwrap_or(&self.nobody).clone(), user.is_some(), password.clone());
        let verified = self.run(move || hash.verify(password.expose_secret().as_bytes())).await;
        verified.unwrap_or(false) && is_known
    }

    /// argon2id, in PHC form.
    pub async fn hash(&self, password: &SecretString) -> Result<String, PasswordProblem> {
        let password = password.clone();
        self.run(move || hash(&password)).await.unwrap_or(Err(PasswordProblem::Hashing))
    }

    /// The turn is given back by the work, not by who waits for it: a browser that goes away frees no thread. A thread of its own,
    /// because a priority that was given up cannot be taken back; next to the work, making one costs nothing.
    async fn run<T: Send + 'static>(&self, work: impl FnOnce() -> T + Send + 'static) -> Option<T> {
        let turn = Arc::clone(&self.turns).acquire_owned().await.ok()?;
        let (reply, answer) = oneshot::channel();
        let thread = thread::Builder::new().name("password".into()).spawn(move || {
            let _turn = turn;
            give_way();
            let _ = reply.send(work());
        });
        thread.inspect_err(|error| tracing::error!(%error, "there is no thread to hash a password on")).ok()?;
        answer.await.inspect_err(|_| tracing::error!("hashing a password failed")).ok()
    }
}

/// Calls come first: whoever logs in waits a moment longer. Only on Linux is a priority that of a thread.
#[cfg(target_os = "linux")]
fn give_way() {
    const LATER: i32 = 10;
    if let Err(error) = rustix::process::setpriority_process(None, LATER) {
        tracing::debug!(%error, "passwords are hashed at the same priority as everything else");
    }
}

#[cfg(not(target_os = "linux"))]
fn give_way() {}

/// argon2id with 19 MiB, two passes, one lane: for commands, which have no other work to keep going.
pub fn hash(password: &SecretString) -> Result<String, PasswordProblem> {
    let password = password.expose_secret().as_bytes();
    if password.len() > LONGEST {
        return Err(PasswordProblem::TooLong);
    }
    let params = Params::new(19456, 2, 1, None).expect("these are within what argon2 allows");
    let hash = Argon2::new(Algorithm::Argon2id, Version::V0x13, params).hash_password(password);
    hash.map(|hash| hash.to_string()).map_err(|_| PasswordProblem::Hashing)
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicUsize, Ordering};
    use std::time::{Duration, Instant};

    use futures::FutureExt;

    use super::*;

    fn bcrypt_hash(password: &str) -> PasswordHash {
        PasswordHash::parse(&bcrypt::hash(password, 4).unwrap()).unwrap()
    }

    fn secret(text: &str) -> SecretString {
        SecretString::from(text)
    }

    #[tokio::test]
    async fn what_was_hashed_is_recognised_and_nothing_else() {
        let hashing = Hashing::new(2);
        let hash = hashing.hash(&secret("correct horse")).await.unwrap();
        assert!(hash.starts_with("$argon2id$v=19$m=19456,t=2,p=1$"), "{hash}");
        let hash = PasswordHash::parse(&hash).unwrap();
        assert!(hashing.verify(Some(&hash), &secret("correct horse")).await);
        assert!(!hashing.verify(Some(&hash), &secret("correct horsf")).await);
        assert!(!hashing.verify(Some(&hash), &secret("")).await);
        assert!(!hashing.verify(None, &secret("correct horse")).await);
    }

    #[tokio::test]
    async fn an_unknown_user_has_not_even_the_password_it_is_compared_with() {
        let hash = bcrypt_hash("letmein");
        let hashing = Hashing::new(1).resembling(&hash);
        assert!(hashing.verify(Some(&hash), &secret("letmein")).await);
        assert!(!hashing.verify(None, &secret("letmein")).await);
    }

    #[tokio::test]
    async fn bcrypt_does_not_cut_passwords() {
        let hashing = Hashing::new(1);
        let longest = "a".repeat(71);
        let hash = bcrypt_hash(&longest);
        assert!(hashing.verify(Some(&hash), &secret(&longest)).await);
        let cut = bcrypt_hash(&"a".repeat(72));
        for longer in [72, 73, 100] {
            assert!(!hashing.verify(Some(&cut), &secret(&"a".repeat(longer))).await, "{longer}");
        }
        let hash = bcrypt_hash("a\0b");
        assert!(hashing.verify(Some(&hash), &secret("a\0b")).await);
        assert!(!hashing.verify(Some(&hash), &secret("a\0c")).await && !hashing.verify(Some(&hash), &secret("a")).await);
    }

    #[tokio::test]
    async fn a_password_of_a_megabyte_is_refused_before_hashing() {
        let hashing = Hashing::new(1);
        let long = secret(&"a".repeat(1 << 20));
        assert_eq!(hashing.hash(&long).await, Err(PasswordProblem::TooLong));
        let _turn = hashing.turns.acquire().await.unwrap();
        assert!(!hashing.verify(None, &long).await, "it does not even wait for its turn");
    }

    #[test]
    fn hashes_that_cannot_be_checked_in_bounded_time_are_refused() {
        let bcrypt = |cost: &str| format!("$2b${cost}$L6Bc/AlTQHyd9liGgGEZyOFLPHNgyxeEPfgYfBCVxJ7JIlwxyVU3u");
        for (text, problem) in [
            (bcrypt("31"), PasswordProblem::BcryptCost(31)),
            (bcrypt("16"), PasswordProblem::BcryptCost(16)),
            (bcrypt("03"), PasswordProblem::BcryptCost(3)),
            (bcrypt("1x"), PasswordProblem::Form),
            (bcrypt("12").replace("2b", "2x"), PasswordProblem::Form),
            (NOBODY.replace("m=19456", "m=4000000"), PasswordProblem::Argon2Cost),
            (NOBODY.replace("t=2", "t=400"), PasswordProblem::Argon2Cost),
            (NOBODY.replace("argon2id", "argon2d"), PasswordProblem::Form),
            ("$argon2id$v=19$m=19456,t=2,p=1$AAAAAAAAAAAAAAAAAAAAAA".into(), PasswordProblem::Form),
            ("$argon2id$".into(), PasswordProblem::Form),
            ("hunter2".into(), PasswordProblem::Form),
            (String::new(), PasswordProblem::Form),
        ] {
            assert_eq!(PasswordHash::parse(&text), Err(problem), "{text}");
        }
        assert!(PasswordHash::parse(&bcrypt("04")).unwrap().is_weak());
        assert!(!PasswordHash::parse(&bcrypt("15")).unwrap().is_weak());
        assert!(!PasswordHash::parse(NOBODY).unwrap().is_weak());
    }

    #[test]
    fn the_mark_follows_the_hash_and_does_not_show_it() {
        let (one, other) = (bcrypt_hash("a"), bcrypt_hash("a"));
        assert_eq!(one.mark(), one.clone().mark());
        assert_ne!(one.mark(), other.mark());
        assert_eq!(one.mark().len(), 16);
        assert_eq!(format!("{one:?}"), "PasswordHash(bcrypt)");
    }

    #[tokio::test]
    async fn unknown_users_are_hashed_for_like_known_ones() {
        let hash = PasswordHash::parse(&bcrypt::hash("a", 9).unwrap()).unwrap();
        let hashing = Hashing::new(1).resembling(&hash);
        let turn = hashing.turns.acquire().await.unwrap();
        let wrong = secret("wrong");
        for user in [Some(&hash), None] {
            assert!(hashing.verify(user, &wrong).now_or_never().is_none(), "both wait for their turn");
        }
        drop(turn);
        let (mut known, mut unknown) = (Duration::MAX, Duration::MAX);
        for _ in 0..9 {
            for (user, fastest) in [(Some(&hash), &mut known), (None, &mut unknown)] {
                let start = Instant::now();
                assert!(!hashing.verify(user, &wrong).await);
                *fastest = (*fastest).min(start.elapsed());
            }
        }
        // Wide, because the machine that runs this has other work; an answer without hashing is a hundred times faster.
        let ratio = unknown.as_secs_f64() / known.as_secs_f64();
        assert!((0.2..5.0).contains(&ratio), "{unknown:?} for nobody, {known:?} for somebody");
    }

    #[tokio::test]
    async fn no_more_are_hashed_at_once_than_there_are_turns() {
        let hashing = Hashing::new(2);
        let (running, most) = (Arc::new(AtomicUsize::new(0)), Arc::new(AtomicUsize::new(0)));
        let work = (0..20).map(|_| {
            let (running, most) = (Arc::clone(&running), Arc::clone(&most));
            hashing.run(move || {
                let now = running.fetch_add(1, Ordering::SeqCst) + 1;
                most.fetch_max(now, Ordering::SeqCst);
                std::thread::yield_now();
                running.fetch_sub(1, Ordering::SeqCst);
            })
        });
        futures::future::join_all(work).await;
        assert!(most.load(Ordering::SeqCst) <= 2);
    }
}
