//! One table for each language.

mod de;
mod en;
mod en_gb;
mod es;
mod fr;
mod it;
mod ja;
mod ko;
mod nl;
mod pl;
mod pt_br;
mod ru;
mod sv;
mod zh_cn;

use super::locale::Locale;

pub(crate) static EN: Locale = en::LOCALE;
static EN_GB: Locale = en_gb::LOCALE;
static DE: Locale = de::LOCALE;
static FR: Locale = fr::LOCALE;
static ES: Locale = es::LOCALE;
static IT: Locale = it::LOCALE;
static PT_BR: Locale = pt_br::LOCALE;
static NL: Locale = nl::LOCALE;
static JA: Locale = ja::LOCALE;
static ZH_CN: Locale = zh_cn::LOCALE;
static KO: Locale = ko::LOCALE;
static RU: Locale = ru::LOCALE;
static PL: Locale = pl::LOCALE;
static SV: Locale = sv::LOCALE;

pub(crate) static ALL: &[&Locale] = &[&EN, &EN_GB, &DE, &FR, &ES, &IT, &PT_BR, &NL, &JA, &ZH_CN, &KO, &RU, &PL, &SV];
