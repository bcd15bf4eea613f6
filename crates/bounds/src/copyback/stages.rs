//! The stages of one page copy: Eqs 1 to 8, on any number of planes.

use super::timings::CopyTimings;
use flash::Ns;

/// Times of the stages of one operation, which reads and programs one page on each of its planes, ns.
///
/// With k planes, e corrected bytes a page, B bytes moved a page, A = 2 + address cycles:
///
/// ```text
/// t_DO     = k·B·t_RC + (k−1)·(A·t_WC + t_CCS)                         (1)  06h-address-E0h between planes
/// t_DI     = k·B·t_WC                                                  (2)
/// t_DI_EC  = k·e·((2 + column cycles)·t_WC + t_CCS)                         85h-column-byte a corrected byte
/// t_DIO    = k·(B·t_RWC + t_DL + t_ECC) + (k−1)·(A·t_WC + t_CCS) + t_DI_EC  (3)
/// t_SR_SET = k·A·t_WC + (k−1)·(t_WB + t_DBSY) + t_WB + t_RR                 00h-address-32h ... 30h
/// t_SP_SET = k·(A·t_WC + t_ADL) + (k−1)·(t_WB + t_DBSY) + t_WB              80h-address ... 11h ... 10h
/// ```
///
/// Source: Jeong and Song, IEEE TCE 58(2), 2012, Eqs 1–8, which print one plane without the last two
/// definitions and without t_DI_EC's ("omitted due to the page limit", §V); cycle counts from ONFI 2.1, on
/// which its reference 13 rests.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Stages {
    /// Data out of the source (Eq. 1).
    pub t_do_ns: Ns,
    /// Data into the destination (Eq. 2).
    pub t_di_ns: Ns,
    /// Corrected bytes sent again, in Eq. 3.
    pub t_di_ec_ns: Ns,
    /// Direct data transfer, corrected bytes included (Eq. 3).
    pub t_dio_ns: Ns,
    /// Commands, addresses and internal delays of a read.
    pub t_sr_set_ns: Ns,
    /// Commands, addresses and internal delays of a program.
    pub t_sp_set_ns: Ns,
    /// Read busy.
    pub t_r_ns: Ns,
    /// Program busy.
    pub t_prog_ns: Ns,
    /// From the last byte to the verdict of the ECC where the data waits for it.
    pub t_ecc_ns: Ns,
}

impl Stages {
    /// Stages on `planes` planes (1 to 4) with `corrected_bytes` sent again a page.
    pub fn of(timings: &CopyTimings, planes: u32, corrected_bytes: u32) -> Self {
        let (k, waits) = (u64::from(planes), &timings.waits);
        let (bytes, command) = (timings.moved_bytes(), timings.full_command_ns());
        let select = k.saturating_sub(1) * (command + waits.t_ccs_ns);
        let between = k.saturating_sub(1) * timings.between_planes_ns();
        let t_di_ec_ns = k * u64::from(corrected_bytes) * timings.correction_ns();
        let one_transfer = bytes * timings.t_rwc_ns() + waits.t_dl_ns + waits.t_ecc_ns;
        Self {
            t_do_ns: k * bytes * timings.t_rc_ns + select,
            t_di_ns: k * bytes * timings.t_wc_ns,
            t_di_ec_ns,
            t_dio_ns: k * one_transfer + select + t_di_ec_ns,
            t_sr_set_ns: k * command + between + waits.t_wb_ns + waits.t_rr_ns,
            t_sp_set_ns: k * (command + waits.t_adl_ns) + between + waits.t_wb_ns,
            t_r_ns: timings.t_r_ns,
            t_prog_ns: timings.t_prog_ns,
            t_ecc_ns: waits.t_ecc_ns,
        }
    }

    /// What a direct data transfer saves over data out and in, t_DIO_GAIN (Eq. 4); negative where more is
    /// sent again than the second transfer took.
    pub fn t_dio_gain_ns(&self) -> i64 {
        (self.t_di_ns + self.t_do_ns) as i64 - self.t_dio_ns as i64
    }

    /// Whole read, t_SR (Eq. 5).
    pub fn t_sr_ns(&self) -> Ns {
        self.t_sr_set_ns + self.t_r_ns + self.t_do_ns
    }

    /// Whole program, t_SP (Eq. 6).
    pub fn t_sp_ns(&self) -> Ns {
        self.t_sp_set_ns + self.t_di_ns + self.t_prog_ns
    }

    /// Read without its transfer, t_SR_EXC.D (Eq. 7).
    pub fn t_sr_exc_d_ns(&self) -> Ns {
        self.t_sr_set_ns + self.t_r_ns
    }

    /// Program without its transfer, t_SP_EXC.D (Eq. 8).
    pub fn t_sp_exc_d_ns(&self) -> Ns {
        self.t_sp_set_ns + self.t_prog_ns
    }

    /// Internal copy-back of `n` operations (Eq. 9).
    pub fn icb_ns(&self, n: u64) -> Ns {
        (self.t_sr_ns() + self.t_sp_exc_d_ns() + self.t_di_ec_ns) * n
    }

    /// Global copy-back of `n` operations (Eq. 10).
    pub fn gcb_ns(&self, n: u64) -> Ns {
        self.t_sr_ns() + self.t_sp_ns() * n
    }

    /// Global copy-back by direct data transfer of `n` operations (Eq. 11).
    pub fn dgcb_ns(&self, n: u64) -> Ns {
        self.t_sr_exc_d_ns() + (self.t_dio_ns + self.t_sp_exc_d_ns()) * n
    }

    /// Global copy-back with cache program (Eq. 12).
    pub fn gcb_cache_ns(&self, n: u64) -> Ns {
        self.t_sr_ns() + self.t_sp_set_ns + self.t_di_ns + self.t_prog_ns * n
    }

    /// Direct data transfer with cache program (Eq. 13).
    pub fn dgcb_cache_ns(&self, n: u64) -> Ns {
        self.t_sr_exc_d_ns() + self.t_dio_ns + self.t_sp_set_ns + self.t_prog_ns * n
    }
}
